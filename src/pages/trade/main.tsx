import { render } from 'preact'
import { guardSecondClicks } from '../common/second-click.ts'
import { startTheme } from '../common/theme.ts'
import { startLiveAuthentication, startSession } from './account/session.ts'
import { startClock } from './feed/clock.ts'
import { notifyFailure } from './messages/notices.ts'
import { TradeApp } from './views/app.tsx'

// A link to an account contains its key, so it is removed from the address bar and the history before anything else
// runs.
let linked = takeFragment()
addEventListener('hashchange', () => {
  linked = takeFragment()
  openLinked()
})

startTheme()
guardSecondClicks()

const root = document.getElementById('root')
// Replaces the static content of the document.
root?.replaceChildren()
if (root) render(<TradeApp />, root)
setTimeout(begin)

/** Starts the work that the first paint does not need. */
function begin(): void {
  startClock()
  void startSession().then(openLinked)
  startLiveAuthentication()
  import('./deferred.ts').then(({ startDeferredCode: startLater }) => startLater(), notifyFailure)
}

/** Removes an account's fragment from the address and returns it; null for any other fragment. */
function takeFragment(): string | null {
  const { hash, pathname, search } = location
  if (!hash.startsWith('#account=')) return null
  history.replaceState(history.state, '', pathname + search)
  return hash.slice(1)
}

function openLinked(): void {
  const fragment = linked
  linked = null
  if (fragment !== null)
    import('./account/wallet-bundle.ts').then(
      ({ WALLET_BUNDLE: door }) => door.openLinked(fragment),
      () => undefined,
    )
}
