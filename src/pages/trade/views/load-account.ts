import { signal } from '@preact/signals'

type AccountViews = typeof import('./account/views.tsx')['ACCOUNT_VIEWS']

/** The parts of the page that need an open account; null until their code has come. */
export const accountViews = signal<AccountViews | null>(null)

/** Uses the views of an account once they have come. */
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
