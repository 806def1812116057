import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isObject } from '../../src/core/json.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { recordedAnswer } from '../surface/recorded-venue.ts'
import { openTarget, type Target } from '../target.ts'
import { eventually } from './fixture.ts'

const PATHS = [
  '/api/prep/markets',
  '/api/prep/market-rules',
  '/api/prep/config',
  '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m&limit=500',
]

/** The blocks of data in a document, by the paths whose answers they are. */
async function blocksOf(response: Response): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  const rewriter = new HTMLRewriter()
  let [path, text] = ['', '']
  rewriter.on('script[data-path]', {
    element: (element) => {
      path = (element.getAttribute('data-path') ?? '').replaceAll('&amp;', '&')
      element.onEndTag(() => {
        found.set(path, JSON.parse(text))
        text = ''
      })
    },
    text: (chunk) => {
      text += chunk.text
    },
  })
  await rewriter.transform(response).text()
  return found
}

describe('the document of the trading page', () => {
  let target: Target
  beforeAll(async () => {
    target = await openTarget('compiled binary', { VENUE_CLOCK: 'virtual' })
    // The seeded world takes a moment to compute its first answers.
    for (const path of PATHS) while (!(await target.fetch(path)).ok) await Bun.sleep(10)
  })
  afterAll(() => target.stop())

  /** The document at a path once it brings everything: what is not answered in a moment is left out of it. */
  const whole = (path: string) =>
    eventually(
      async () => {
        const response = await target.fetch(path)
        const [html, etag] = [await response.text(), response.headers.get('etag')]
        return { html, etag, blocks: await blocksOf(new Response(html)) }
      },
      ({ blocks }) => blocks.size === PATHS.length,
    )

  test('brings what the page would ask for first, as it would be answered', async () => {
    const { blocks } = await whole('/trade/PERP_ETH_USDC')
    expect([...blocks.keys()]).toEqual(PATHS)
    for (const path of PATHS) {
      expect(blocks.get(path)).toEqual(await (await target.fetch(path)).json())
    }
  })

  test('shows the markets before any script has run, as the page does then', async () => {
    const { markets } = Object(await (await target.fetch('/api/prep/markets')).json())
    const { html } = await whole('/trade')
    const names = [...html.matchAll(/<tr><td><button type="button" class="name">([^<]+)</g)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(markets.map(({ base }: { base: string }) => base))
  })

  test('of a market that there is not, or of none, brings the first', async () => {
    const { markets } = Object(await (await target.fetch('/api/prep/markets')).json())
    for (const path of ['/trade', '/trade/PERP_NOPE_USDC']) {
      const candles = [...(await whole(path)).blocks.keys()].at(-1)
      expect(candles).toContain(`symbol=${markets[0].symbol}&`)
    }
  })

  test('is another document for what it brings', async () => {
    const tagOf = async (path: string) => (await whole(path)).etag
    expect(await tagOf('/trade/PERP_BTC_USDC')).not.toBe(await tagOf('/trade/PERP_ETH_USDC'))
  })
})

// Slow: the executable starts.
test('what it brings is charged like what is asked for, and left out when too much was', async () => {
  const target = await openTarget('compiled binary', { LIMIT_READ: '1/3600s burst 2' })
  // Somebody else has asked before: what is kept is there at once.
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  for (const path of PATHS.slice(0, 2)) await target.fetch(path, { headers })
  const counts: number[] = []
  for (let asked = 0; asked < 2; asked += 1) {
    const response = await target.fetch('/trade')
    expect(response.status).toBe(200)
    counts.push((await blocksOf(response)).size)
  }
  expect(counts).toEqual([2, 0])
  expect((await target.fetch('/api/prep/markets')).status).toBe(429)
  await target.stop()
})

test('what a venue says ends no element, and runs nowhere', async () => {
  const hostile = '</script><script>window.stolen = true</script><!--'
  const venue = await startRecordingUpstream((request) => {
    const { json } = Object(recordedAnswer(request))
    if (!isObject(json)) return recordedAnswer(request)
    const text = JSON.stringify(json).replaceAll('"display_symbol_name":"', `$&${hostile}`)
    return { json: JSON.parse(text) }
  })
  const target = await openTarget('compiled binary', { VENUE: venue.url, PAGE: 'on' })
  expect(await (await target.fetch('/api/prep/markets')).text()).toContain(hostile)
  const html = await (await target.fetch('/trade')).text()
  expect(html).toContain('\\u003c/script>')
  expect(html).not.toContain(hostile)
  await target.stop()
  await venue.stop()
})
