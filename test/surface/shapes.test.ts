import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { startRecordedVenue } from './recorded-venue.ts'
import { misshapen } from './shape.ts'
import { SPEC_SHAPES } from './spec-shapes.ts'

describe.each([...USUAL_KINDS])('the specified shapes, %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let targets: Readonly<Record<string, Target>>

  beforeAll(async () => {
    venue = await startRecordedVenue()
    targets = {
      embedded: await openTarget(kind, { VENUE: 'embedded' }),
      recorded: await openTarget(kind, { VENUE: venue.url }),
    }
  })
  afterAll(async () => {
    await Promise.all(Object.values(targets).map((target) => target.stop()))
    await venue.stop()
  })

  async function answerOf(name: string, path: string) {
    const response = await targets[name]?.fetch(path)
    const body: unknown = await response?.json()
    return { status: response?.status, body }
  }

  const cases = ['embedded', 'recorded'].flatMap((name) =>
    SPEC_SHAPES.map(({ path, shape }) => ({ name, path, shape })),
  )
  test.each(cases)('$name: $path has its fields and no others', async ({ name, path, shape }) => {
    const { status, body } = await answerOf(name, path)
    expect(status).toBe(200)
    expect(misshapen(body, shape)).toEqual([])
  })

  test('the catalogue lists 88 operations in twelve groups, and every code once', async () => {
    const { body } = await answerOf('recorded', '/api/prep/catalogue')
    const { operations, groups, errors } = Object(body)
    expect(operations).toHaveLength(88)
    expect(Object.keys(groups)).toEqual([
      ...['markets', 'funding', 'platform', 'liquidations', 'charts', 'rewards', 'referral'],
      ...['campaigns', 'staking', 'account', 'builder', 'vault'],
    ])
    expect(Object.values(groups).flat().sort()).toEqual(
      operations.map(({ id }: { id: string }) => id).sort(),
    )
    expect(errors.find(({ code }: { code: string }) => code === 'rate_limited')).toMatchObject({
      status: 429,
      retryable: true,
    })
    expect(new Set(errors.map(({ code }: { code: string }) => code)).size).toBe(errors.length)
  })

  test('every catalogued endpoint can be asked for as it is written', async () => {
    const { body } = await answerOf('embedded', '/api/prep/catalogue')
    for (const { endpoint, parameters } of Object(body).operations) {
      const needed = parameters.filter(({ required }: { required: boolean }) => required)
      const { status, body: answer } = await answerOf('embedded', endpoint)
      if (needed.length > 0) {
        expect(status).toBe(400)
        expect(Object(answer).meta.parameter).toBe(needed[0].name)
      } else if (status !== 200)
        expect(['not_found', 'not_configured', 'invalid_request']).toContain(Object(answer).code)
    }
  })

  test('the embedded markets are sorted by turnover, each with its base and its change', async () => {
    const { body } = await answerOf('embedded', '/api/prep/markets')
    const { markets } = Object(body)
    const turnovers = markets.map((row: Record<string, number>) => row['24h_amount'])
    expect(turnovers).toEqual(turnovers.toSorted((a: number, b: number) => b - a))
    for (const row of markets) {
      expect(`PERP_${row.base}_USDC`).toBe(row.symbol)
      const change = ((row['24h_close'] - row['24h_open']) / row['24h_open']) * 100
      expect(row.change24hPct).toBeCloseTo(change, 3)
    }
  })

  test('the embedded book’s middle and spread are those of its best prices', async () => {
    const { body } = await answerOf('embedded', '/api/prep/orderbook?symbol=PERP_ETH_USDC')
    const [ask, bid] = [Number(Object(body).asks[0].price), Number(Object(body).bids[0].price)]
    expect(ask).toBeGreaterThan(bid)
    expect(Number(Object(body).mid_price)).toBeCloseTo((ask + bid) / 2, 6)
    expect(Number(Object(body).spread)).toBeCloseTo(ask - bid, 6)
  })
})
