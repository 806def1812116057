import { effect } from '@preact/signals'
import { session } from '../account/session.ts'
import { openList } from '../account/state.ts'
import { notifyFailure } from '../messages/notices.ts'
import { listTools } from './account/list-table.tsx'
import { ACCOUNT_VIEWS } from './account/views.tsx'
import { accountViews } from './load-account.ts'

/** Loads the tools of the lists, and the lists of past events, once an account or a list needs them. */
export function startListTools(): void {
  effect(() => {
    const isWanted = openList.value === 'balances' || session.value !== null
    if (listTools.peek() || !isWanted) return
    import('./account/list-part.ts').then(({ LIST_PART: { tools, lists } }) => {
      listTools.value = tools
      accountViews.value = { ...ACCOUNT_VIEWS, lists: { ...ACCOUNT_VIEWS.lists, ...lists } }
    }, notifyFailure)
  })
}
