import { openLiveConnection } from './feed/live-wire.ts'
import { startLive } from './feed/service.ts'
import { learnMessages } from './messages/failure-messages.ts'
import { FAILURE_MESSAGES } from './messages/failures.ts'
import { ACCOUNT_VIEWS } from './views/account/views.tsx'
import { ticket } from './views/app.tsx'
import { Keys } from './views/keys.tsx'
import { accountViews } from './views/load-account.ts'
import { startListTools } from './views/load-lists.ts'
import { Ticket } from './views/ticket.tsx'

/**
 * Starts the code that every user needs, but not for the first paint. The code is one bundle, because several bundles
 * would be larger.
 */
export function startDeferredCode(): void {
  learnMessages(FAILURE_MESSAGES)
  ticket.value = { Inside: Ticket, Keys }
  accountViews.value = ACCOUNT_VIEWS
  startListTools()
  startLive(openLiveConnection)
}
