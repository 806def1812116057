import type { Page } from 'playwright-core'

/** An answer of the venue to a private read. */
type Answer = Readonly<Record<string, unknown>> & {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

export type PrivateAnswers = {
  /** The last answer to a path, once there is one. */
  readonly of: (path: string) => Promise<Answer>
  /** Changes what the page is answered to a path from now on. */
  readonly change: (path: string, change: (answer: Answer) => object) => Promise<void>
}

/** Records what a page is answered to its signed reads. */
export function privateAnswers(page: Page): PrivateAnswers {
  const last = new Map<string, Answer>()
  page.on('response', async (response) => {
    if (!response.url().endsWith('/api/prep/relay') || !response.ok()) return
    const { path } = JSON.parse(response.request().postData() ?? '{}')
    // A page that is left takes the bodies of its answers with it.
    const answer = await response.json().catch(() => null)
    if (answer) last.set(path, answer)
  })
  return {
    of: async (path) => {
      for (;;) {
        const found = last.get(path)
        if (found) return found
        await Bun.sleep(20)
      }
    },
    change: async (path, change) => {
      await page.route('**/api/prep/relay', async (route) => {
        if (JSON.parse(route.request().postData() ?? '{}').path !== path) return route.fallback()
        await route.fulfill({ json: change(Object(await (await route.fetch()).json())) })
      })
    },
  }
}

/** The last answer to a request whose address has this part; it has no members before the first. */
export function lastAnswer(page: Page, part: string): () => Readonly<Record<string, unknown>> {
  let last = {}
  page.on('response', async (response) => {
    if (response.url().includes(part)) last = (await response.json().catch(() => null)) ?? last
  })
  return () => last
}
