import { render } from 'preact'
import { startTheme } from '../common/theme.ts'
import { startProving } from './account/proving.ts'
import { startSession } from './account/session.ts'
import { startClock } from './feed/clock.ts'
import { startTelling } from './feed/service.ts'
import { App } from './views/app.tsx'
import { loadFailureWords } from './words/failure-words.ts'

startTheme()

const root = document.getElementById('root')
// What the document showed until now.
root?.replaceChildren()
if (root) render(<App />, root)
setTimeout(begin)

/** What nobody sees comes after what everybody looks at. */
function begin(): void {
  startClock()
  void startSession()
  startProving()
  loadFailureWords().catch(() => undefined)
  // Without it everything is asked for, as where the server does not tell.
  startTelling().catch(() => undefined)
}
