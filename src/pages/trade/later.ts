import { openLiveConnection } from './feed/live-wire.ts'
import { startLive } from './feed/service.ts'
import { learnMessages } from './messages/failure-messages.ts'
import { FAILURE_MESSAGES } from './messages/failures.ts'
import { ACCOUNT_VIEWS } from './views/account/views.tsx'
import { ticket } from './views/app.tsx'
import { Keys } from './views/keys.tsx'
import { accountViews } from './views/load-account.ts'
import { Ticket } from './views/ticket.tsx'

/**
 * Starts the code that every reader needs but the first paint does not show. It is loaded as one part: several would
 * weigh more.
 */
export function startLater(): void {
  learnMessages(FAILURE_MESSAGES)
  ticket.value = { Inside: Ticket, Keys }
  accountViews.value = ACCOUNT_VIEWS
  startLive(openLiveConnection)
}
