import { render } from 'preact'
import { startTheme } from '../common/theme.ts'
import { startSession } from './account/session.ts'
import { startClock } from './feed/clock.ts'
import { App } from './views/app.tsx'
import { loadFailureWords } from './words/failure-words.ts'

startTheme()
startClock()
void startSession()

const root = document.getElementById('root')
if (root) render(<App />, root)
loadFailureWords().catch(() => undefined)
