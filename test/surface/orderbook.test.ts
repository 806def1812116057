import { describe, expect, test } from 'bun:test'
import { USUAL_KINDS } from '../target.ts'
import routes from '../vectors/upstream/routes.json'
import { marketFixture } from './market-fixture.ts'
import { recordedAnswer } from './recorded-venue.ts'

const BTC = 'symbol=PERP_BTC_USDC'

describe.each([...USUAL_KINDS])('the order book, %s', (kind) => {
  const { answers, get } = marketFixture(kind)
  test('asked for by name, its strings as the venue wrote them', async () => {
    const { body, sent } = await get(`orderbook?${BTC}`)
    expect(body).toEqual(routes.orderbook.data)
    expect(sent.map(({ asked }) => asked)).toEqual(['/v1/public/query'])
    expect(JSON.parse(sent[0]?.text ?? '')).toEqual({
      type: 'orderbook',
      symbol: 'PERP_BTC_USDC',
      max_level: 100,
    })
  })

  test('an empty side leaves no middle and no spread', async () => {
    answers(() => ({ json: routes.oneSidedBook }))
    const { body } = await get(`orderbook?${BTC}`)
    expect(body).toEqual({ ...routes.oneSidedBook.data, mid_price: '', spread: '' })
  })

  const LEVEL = { price: '1.50', quantity: '2' }
  const BOOKS: readonly { what: string; asks?: unknown; bids?: unknown }[] = [
    { what: 'objects of numbers', asks: [{ price: 7, quantity: 1e-7 }], bids: [LEVEL] },
    {
      what: 'pairs',
      asks: [['7', '0.0000001', 'x']],
      bids: [
        [{}, 1],
        ['1.50', 2],
      ],
    },
    {
      what: 'more than levels',
      asks: [{ price: '7', quantity: '1E-7', broker: 'x' }],
      bids: [LEVEL, null, 1, 'x', [], [1], { price: 'NaN', quantity: '1' }, ['-1', '1']],
    },
  ]
  test.each([...BOOKS])('$what are price and quantity as text', async ({ asks, bids }) => {
    answers(() => ({
      json: { success: true, data: { asks, bids, mid_price: 4.25, spread: '-5.5', ts: 9 } },
    }))
    expect((await get(`orderbook?${BTC}`)).body).toEqual({
      symbol: 'PERP_BTC_USDC',
      mid_price: '4.25',
      spread: '-5.5',
      asks: [{ price: '7', quantity: '0.0000001' }],
      bids: [LEVEL],
      ts: 9,
    })
  })

  test.each([{ asks: null, bids: null }, { bids: {} }, { asks: 'x', bids: 5 }])(
    '%o has no levels, and both sides',
    async (data) => {
      answers(() => ({ json: { success: true, data } }))
      const { body } = await get(`orderbook?${BTC}`)
      expect(body).toMatchObject({ asks: [], bids: [], mid_price: '', spread: '' })
      expect(Math.abs(body.ts - Date.now())).toBeLessThan(60_000)
    },
  )

  test.each([[[]], [{}], [{ symbol: 'PERP_BTC_USDC' }], ['x']])(
    '%p is none, and that is the venue’s trouble',
    async (data) => {
      answers((request) =>
        request.target === '/v1/public/query'
          ? { json: { success: true, data } }
          : recordedAnswer(request),
      )
      const { status, body } = await get(`orderbook?${BTC}`)
      expect([status, body.code]).toEqual([502, 'upstream_unavailable'])
    },
  )
})
