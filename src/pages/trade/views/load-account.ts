import { signal } from '@preact/signals'

type AccountViews = typeof import('./account/views.tsx')['ACCOUNT_VIEWS']

/** The parts of the page that need an open account; null until their code is loaded. */
export const accountViews = signal<AccountViews | null>(null)

/** Runs `work` with the account's views, once they are loaded. */
export async function withAccountViews<T>(work: (views: AccountViews) => Promise<T>): Promise<T> {
  return work(accountViews.peek() ?? (await coming()))
}

function coming(): Promise<AccountViews> {
  return new Promise((resolve) => {
    const stop = accountViews.subscribe((views) => {
      if (!views) return
      resolve(views)
      queueMicrotask(() => stop())
    })
  })
}
