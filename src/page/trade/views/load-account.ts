import { effect, signal } from '@preact/signals'
import { session } from '../account/session.ts'
import { openList } from '../account/state.ts'
import { notifyFailure } from '../messages/notices.ts'

type AccountViews = typeof import('./account/views.tsx')['ACCOUNT_VIEWS']

/** What needs an open account; null until there is one, and what it takes has come. */
export const accountViews = signal<AccountViews | null>(null)

async function load(): Promise<AccountViews> {
  const { ACCOUNT_VIEWS } = await import('./account/views.tsx')
  accountViews.value = ACCOUNT_VIEWS
  return ACCOUNT_VIEWS
}

/** Uses the views of an account once they are loaded; undefined, and a notice, when they cannot be. */
export async function withAccountViews<T>(
  work: (views: AccountViews) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(accountViews.peek() ?? (await load()))
  } catch (error) {
    notifyFailure(error)
    return undefined
  }
}

effect(() => {
  const isWanted = session.value !== null || openList.value === 'balances'
  if (isWanted && !accountViews.peek()) load().catch(notifyFailure)
})
