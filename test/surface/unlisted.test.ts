import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import routes from '../vectors/upstream/routes.json'

const EMPTY = { json: { success: true, timestamp: 1, data: { rows: [] } } }
const refusal = (code: string, message = 'no'): AnswerSpec => ({
  status: 400,
  json: { success: false, code, message, ts: 1 },
})

describe.each([...USUAL_KINDS])('what is asked of one market, %s', (kind) => {
  let answer: AnswerSpec = EMPTY
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream(({ target: path }) =>
      path.startsWith('/v1/public/futures') ? { json: routes.futures } : answer,
    )
    target = await openTarget(kind, { VENUE: venue.url })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  async function get(path: string, symbol: string) {
    const before = venue.requests.length
    const response = await target.fetch(`/api/prep/${path}?symbol=${symbol}`)
    const { code } = Object(await response.json())
    const sent = venue.requests.slice(before).map((request) => request.target)
    return { outcome: code ?? response.status, sent }
  }

  // A market of its own a row: what is said of one is remembered for a while.
  test.each([
    ['an empty list', EMPTY, 'PERP_BTC_USDC', 200],
    ['not found', refusal('INVALID_PARAM', 'symbol not found'), 'PERP_ETH_USDC', 'not_found'],
    ['no such parameter', refusal('INVALID_PARAM'), 'PERP_SOL_USDC', 'invalid_request'],
    ['no such type', refusal('UNKNOWN_TYPE'), 'PERP_1INCH_USDC', 'venue_rejected'],
  ])('is not found where there is no such market, whether the venue says %s', async (...row) => {
    const [, body, listed, outcome] = row
    answer = body
    for (const path of ['orderbook', 'candles', 'trades']) {
      expect((await get(path, 'PERP_NOPE_USDC')).outcome).toBe('not_found')
      // An empty list is no order book.
      const isBookless = path === 'orderbook' && body === EMPTY
      const expected = isBookless ? 'upstream_unavailable' : outcome
      expect((await get(path, listed)).outcome).toBe(expected)
    }
  })

  test('an outage is told as what it is, and the list of markets is not asked', async () => {
    answer = refusal('INTERNAL_ERROR')
    for (const path of ['orderbook', 'candles', 'trades']) {
      const { outcome, sent } = await get(path, 'PERP_GONE_USDC')
      expect(outcome).toBe('upstream_unavailable')
      expect(sent.filter((asked) => asked.startsWith('/v1/public/futures'))).toEqual([])
    }
  })
})
