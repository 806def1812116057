import type { Page } from 'playwright-core'
import { eventually } from './fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
type Answer = Readonly<Record<string, any>>

/** The last answer of each private read of a page, by path and query, as the venue wrote it. */
export type PrivateAnswers = ReadonlyMap<string, Answer>

/** Collects the private answers of a page from now on. */
export function privateAnswers(page: Page): PrivateAnswers {
  const answers = new Map<string, Answer>()
  page.on('response', (response) => {
    if (!response.url().endsWith('/api/prep/relay') || !response.ok()) return
    const { method, path } = Object(response.request().postDataJSON())
    if (method !== 'GET') return
    // A page that is left takes the bodies of its answers with it.
    response.json().then(
      (answer) => answers.set(path, answer),
      () => undefined,
    )
  })
  return answers
}

/** Whether the last number of a text, such as `−1,234.50 USDC`, is this value rounded to the places that are shown. */
export function shows(text: string, value: number): boolean {
  const [found = ''] = text.match(/[−+]?\d[\d,]*(?:\.\d+)?/g)?.slice(-1) ?? []
  const shown = Number(found.replaceAll(',', '').replace('−', '-'))
  const places = found.split('.')[1]?.length ?? 0
  return found !== '' && Math.abs(shown - value) <= 0.500_001 * 10 ** -places
}

/** Waits until the only position, and the margin of its account, are shown as the venue last answered them. */
export async function expectVenueFigures(page: Page, answers: PrivateAnswers): Promise<void> {
  await eventually(
    async () =>
      [
        await shownTexts(page),
        figuresOf(answers.get('/v1/positions'), fundingIn(answers)),
      ] as const,
    ([texts, figures]) =>
      figures.length > 0 && figures.every((figure, at) => shows(texts[at] ?? '', figure)),
  )
}

/** What the position was charged for being held. */
function fundingIn(answers: PrivateAnswers): Answer | undefined {
  const [, answer] = [...answers].findLast(([path]) => path.startsWith('/v1/funding_fee/')) ?? []
  return answer
}

function shownTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const texts = (selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent)
    const row = texts('.lists tr[data-symbol] td:is([data-size], [data-size] ~ td):not([data-legs], .warn, .quiet, .actions) > *')
    const [collateral, free] = texts('#account .pairs dd')
    return [...row, collateral, free].map((text) => text ?? '')
  })()`)
}

/** The same figures of the venue: what a position has won, and its margin, follow from size, entry and mark. */
function figuresOf(answer: Answer | undefined, funding: Answer | undefined): readonly number[] {
  const row = answer?.['rows'].find((each: Answer) => Number(each['position_qty']) !== 0)
  if (!answer || !row) return []
  const size = Number(row.position_qty)
  const [entry, mark] = [Number(row.average_open_price), Number(row.mark_price)]
  const [won, margin] = [size * (mark - entry), Math.abs(size) * entry * Number(row.imr)]
  const charges: readonly Answer[] = funding?.['rows'] ?? []
  const received = charges
    .filter((each) => each['symbol'] === row.symbol && each['created_time'] >= row.timestamp)
    .map((each) => (each['payment_type'] === 'Receive' ? 1 : -1) * each['funding_fee'])
    .reduce((sum, amount) => sum + amount, 0)
  return [
    ...[Math.abs(size), Math.abs(size) * mark, entry, mark, won, (100 * won) / margin],
    ...[margin, Number(row.unsettled_pnl), received, -Number(row.fee_24_h)],
    ...[Number(answer['total_collateral_value']), Number(answer['free_collateral'])],
  ]
}
