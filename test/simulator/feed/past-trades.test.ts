import { beforeAll, describe, expect, test } from 'bun:test'
import { openExchange } from '../../../src/simulator/exchange/exchange.ts'
import { createLiveFeed } from '../../../src/simulator/feed/live-feed.ts'
import { checkRecords } from '../../../src/simulator/history/check.ts'
import { createInitialState } from '../../../src/simulator/initial-state.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { createFeed } from '../../../src/simulator/past/seeded-feed.ts'
import { chartRows } from '../../../src/simulator/rest/public/charts.ts'
import { klineRows } from '../../../src/simulator/rest/public/klines.ts'
import { queryRows } from '../../../src/simulator/rest/public/query.ts'
import type { Match } from '../../../src/simulator/state/observer.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { failed } from '../failed.ts'
import { amountOf, recounted } from './recounted.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const NOW_MS = WORLD_START_MS + 3 * DAY_MS + 7 * HOUR_MS + 12_345
const BASES = ['BTC', 'ETH', 'XRP', 'EOS']
const SYMBOL = 'PERP_ETH_USDC'
const entities = openVenueFile(':memory:')

/** The exchange as its store has it: a world of four markets, which is opened at the time of its last commit. */
function open() {
  const past = createFeed({ seed: 3, beginsAtMs: WORLD_START_MS })
  const listed = [...MARKETS.values()].filter(({ base }) => BASES.includes(base))
  const exchange = openExchange({
    entities,
    initialState: { ...createInitialState(past, WORLD_START_MS, null, 'sparse', null), listed },
    failed,
  })
  const { simulation } = exchange
  simulation()
  exchange.advance(exchangeMs)
  return { exchange, simulation, feed: createLiveFeed(past, simulation) }
}

let exchangeMs = WORLD_START_MS
const matches: Match[] = []
let world: ReturnType<typeof open>

beforeAll(() => {
  world = open()
  world
    .simulation()
    .engine.world.exchange.observers.push({ matched: (match) => matches.push(match) })
  for (let hour = 1; hour * HOUR_MS < NOW_MS - WORLD_START_MS; hour += 5) {
    world.exchange.advance(WORLD_START_MS + hour * HOUR_MS)
    world.exchange.commit()
  }
  world.exchange.advance(NOW_MS)
  world.simulation().engine.save()
  world.exchange.commit()
})

const own = () => matches.filter(({ market }) => market.spec.symbol === SYMBOL)

function candlesOf(
  { feed, simulation }: ReturnType<typeof open>,
  spanMs: number,
  fromMs = WORLD_START_MS,
) {
  const { spec } = simulation().engine.world.exchange.bySymbol.get(SYMBOL) ?? {}
  const { tick, step } = spec ?? { tick: 1, step: 1 }
  return feed
    .candles(SYMBOL, spanMs, fromMs, NOW_MS + 1, NOW_MS)
    .map(({ startMs, open, high, low, close, volume, amount }) => ({
      startMs,
      open: Number(open) / tick,
      high: Number(high) / tick,
      low: Number(low) / tick,
      close: Number(close) / tick,
      volume: Number(volume) / step,
      amount,
    }))
}

describe('three days after genesis', () => {
  test.each([1, 3, 5, 15, 30, 60, 240, 720, 1440].map((minutes) => [minutes * MINUTE_MS]))(
    'candles of %i ms are the trades, the oldest too, before and after a restart',
    (spanMs) => {
      const wanted = recounted(own(), spanMs)
      expect(wanted[0]?.startMs).toBeLessThan(WORLD_START_MS + spanMs + HOUR_MS)
      expect(candlesOf(world, spanMs)).toEqual(wanted)
      exchangeMs = NOW_MS
      expect(candlesOf(open(), spanMs)).toEqual(wanted)
    },
  )

  test('the figures of a day are the trades of the running minute and the 1440 before it', () => {
    const fromMs = NOW_MS - (NOW_MS % MINUTE_MS) - DAY_MS
    const [wanted] = recounted(
      own().filter(({ atMs }) => atMs >= fromMs),
      1e15,
    )
    const { spec } = own()[0]?.market ?? {}
    const day = world.feed.day(SYMBOL, NOW_MS)
    expect(Number(day.volume) / (spec?.step ?? 1)).toBe(wanted?.volume ?? 0)
    expect(Number(day.high) / (spec?.tick ?? 1)).toBe(wanted?.high ?? 0)
    expect(day.amount).toBe(wanted?.amount ?? 0n)
  })

  test('the turnover of each day, and of all, is that of its trades', () => {
    const first = WORLD_START_MS / DAY_MS
    for (let day = first; day <= first + 3; day++) {
      const traded = matches.filter(({ atMs }) => Math.floor(atMs / DAY_MS) === day)
      expect(world.feed.traded.onDay(day)).toBe(
        traded.reduce((sum, each) => sum + amountOf(each), 0n),
      )
    }
    expect(world.feed.traded.onDay(first - 1)).toBeNull()
    expect(world.feed.traded.inAll()).toBe(matches.reduce((sum, each) => sum + amountOf(each), 0n))
  })

  test('every read of candles tells the same', () => {
    const rows = [...klineRows(world), ...chartRows(world), ...queryRows(world)]
    const asked = (path: string, query: Record<string, string>, body = '') => {
      const row = rows.find((each) => each.path === path)
      const call = { params: {}, query: new URLSearchParams(query), body, accountId: '' }
      return JSON.parse(JSON.stringify(row?.answer({ ...call, nowMs: NOW_MS })))
    }
    const klines = asked('/v1/kline', {
      symbol: SYMBOL,
      type: '5m',
      limit: '900',
    }).rows.toReversed()
    const chart = { symbol: SYMBOL, resolution: '5', countback: '900' }
    const { t, o, h, l, c, v } = asked('/v1/tv/history', chart)
    const history = asked('/v1/tv/kline_history', { ...chart, resolution: '5m', limit: '900' })
    const body = JSON.stringify({ type: 'candles', symbol: SYMBOL, interval: '5m', limit: 900 })
    const queried = asked('/v1/public/query', {}, body).rows
    expect(klines.length).toBeGreaterThan(850)
    const pick = (name: string) => klines.map((row: Record<string, unknown>) => row[name])
    expect({ t, o, h, l, c, v }).toEqual({
      t: pick('start_timestamp').map((ms: number) => ms / 1000),
      o: pick('open'),
      h: pick('high'),
      l: pick('low'),
      c: pick('close'),
      v: pick('volume'),
    })
    expect(history.t).toEqual(t)
    expect(history.a).toEqual(pick('amount'))
    expect(queried.map(({ close }: { close: string }) => Number(close))).toEqual(c)
    expect(queried.map(({ timestamp }: { timestamp: number }) => timestamp / 1000)).toEqual(t)
  })
})

describe('the check of what is told of trades', () => {
  const broken = (change: (world: EngineWorld) => void) => {
    exchangeMs = NOW_MS
    const { simulation } = open()
    change(simulation().engine.world)
    return checkRecords(simulation().engine.world, simulation())
  }

  test('finds nothing in a sound world', () => {
    expect(broken(() => undefined)).toEqual([])
  })

  test('finds a candle that is not its minutes, and a day that is not its candles', () => {
    const found = broken(({ scenes }) => {
      const bar = scenes[0]?.history.blocks.get(NOW_MS - (NOW_MS % HOUR_MS) - 3 * HOUR_MS)
      if (bar) bar.amount += 1
    })
    expect(found).toHaveLength(2)
    expect(found[0]).toContain('is not its minutes')
    expect(found[1]).toContain('in candles')
  })

  test('finds a volume that nobody traded', () => {
    const found = broken(({ exchange }) => {
      const account = exchange.accounts.find(({ days }) => days.length > 2)
      if (account?.days[1]) account.days[1].volume += 1
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain('by accounts')
  })
})
