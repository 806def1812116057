import { toHex } from '../../core/hex.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { worthOf } from '../units.ts'
import { draw, type Stream, stream } from './price/chance.ts'
import { createNoise, type Noise } from './price/noise.ts'
import type { MarketFeed } from './seeded-feed.ts'

export const TRADER_WINDOWS = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const

export type TraderWindow = keyof typeof TRADER_WINDOWS

/** What a trader did in a window: USDC with six decimals, the share of winning trades in hundredths. */
export type TraderRecord = {
  readonly volume: bigint
  readonly pnl: bigint
  readonly winPercent: number
}

export type Trader = {
  /** Lower-case. */
  readonly address: string
  /** The value of all open positions, USDC with six decimals. */
  readonly notional: bigint
  readonly positionCount: number
  readonly tradeCount24h: number
  readonly records: Readonly<Record<TraderWindow, TraderRecord>>
}

/** Everyone behind the leaderboard as of `atMs`, which follows now by the minute. In no order. */
export type Traders = (nowMs: number) => {
  readonly atMs: number
  readonly rows: readonly Trader[]
}

const TRADERS = 72
/** The largest trades about twenty times as much as the smallest. */
const RANK_EXPONENT = 0.7
/** The part of all turnover, both sides counted, that these traders make up. */
const TURNOVER_SHARE = 0.7
/** What a day of the best luck earns of its volume, and how much of luck is skill. */
const DAILY_RESULT = 0.004
const SKILL = 0.4
const MICRO = 1_000_000

type Person = {
  readonly address: string
  readonly share: number
  readonly volumes: Stream
  readonly results: Stream
  readonly habits: Stream
  /** How much larger or smaller than usual the positions are: minus a half to a half. */
  readonly appetite: Noise
}

/**
 * The seeded traders. Each has a volume and a result for every day, spread evenly over it, so that windows nest and
 * slide; their positions together are the traders' part of the open interest of all markets.
 */
export function createTraders(feed: MarketFeed): Traders {
  // Hashing the addresses takes milliseconds, which starting up has none of.
  let known: readonly Person[] | undefined
  const dailyUsdc = [...feed.instruments.values()].reduce((sum, m) => sum + m.dailyTurnoverUsdc, 0)

  return function traders(nowMs) {
    known ??= Array.from({ length: TRADERS }, (_, rank) => personOf(feed.seed, rank))
    const people = known
    const shares = people.reduce((sum, { share }) => sum + share, 0)
    const atMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
    const openNotional = openNotionalOf(feed, atMs)
    const sizes = people.map((person) => person.share * (1 + person.appetite(atMs)))
    const allSizes = sizes.reduce((sum, size) => sum + size, 0)
    const rows = people.map((person, rank) => {
      const usualUsdc = (person.share / shares) * dailyUsdc * 2 * TURNOVER_SHARE
      return traderOf(person, usualUsdc, openNotional * ((sizes[rank] ?? 0) / allSizes), atMs)
    })
    return { atMs, rows }
  }
}

function personOf(seed: number, rank: number): Person {
  const name = `trader/${rank}`
  return {
    address: `0x${toHex(keccak256(Buffer.from(`${seed}/${name}`))).slice(24)}`,
    share: (rank + 1) ** -RANK_EXPONENT,
    volumes: stream(seed, name, 'volume'),
    results: stream(seed, name, 'result'),
    habits: stream(seed, name, 'habit'),
    appetite: createNoise(stream(seed, name, 'appetite'), [{ periodMs: DAY_MS, amplitude: 0.5 }]),
  }
}

function traderOf(person: Person, usualUsdc: number, notional: number, atMs: number): Trader {
  const { habits } = person
  const records = {
    '24h': recordOf(person, usualUsdc, atMs, TRADER_WINDOWS['24h']),
    '7d': recordOf(person, usualUsdc, atMs, TRADER_WINDOWS['7d']),
    '30d': recordOf(person, usualUsdc, atMs, TRADER_WINDOWS['30d']),
  }
  const tradeUsdc = 400 + 4_000 * draw(habits, 0)
  return {
    address: person.address,
    notional: microOf(notional),
    positionCount: 1 + Math.floor(draw(habits, Math.floor(atMs / DAY_MS)) * 9),
    tradeCount24h: Math.max(1, Math.round(Number(records['24h'].volume) / MICRO / tradeUsdc)),
    records,
  }
}

function recordOf(person: Person, usualUsdc: number, atMs: number, windowMs: number): TraderRecord {
  const fromMs = atMs - windowMs
  const skill = SKILL * (draw(person.habits, -1) - 0.5)
  const volumeOf = (day: number) => usualUsdc * (0.3 + 1.4 * draw(person.volumes, day))
  const luckOf = (day: number) => 2 * draw(person.results, day) - 1 + skill
  const volume = overDays(fromMs, atMs, volumeOf)
  const pnl = overDays(fromMs, atMs, (day) => volumeOf(day) * luckOf(day) * DAILY_RESULT)
  const luck = overDays(fromMs, atMs, luckOf) / (windowMs / DAY_MS)
  return { volume: microOf(volume), pnl: microOf(pnl), winPercent: Math.round(50 + luck * 30) }
}

/** The sum of a figure that each day has, counting the days at both ends by the part of them that lies within. */
function overDays(fromMs: number, toMs: number, figureOf: (day: number) => number): number {
  let sum = 0
  for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS < toMs; day++) {
    const within = Math.min(toMs, (day + 1) * DAY_MS) - Math.max(fromMs, day * DAY_MS)
    sum += figureOf(day) * (within / DAY_MS)
  }
  return sum
}

/** What the traders hold in all markets, long and short, in USDC. */
function openNotionalOf(feed: MarketFeed, atMs: number): number {
  let notional = 0n
  for (const symbol of feed.instruments.keys()) {
    const { tradersLong, tradersShort } = feed.openInterest(symbol, atMs)
    notional += worthOf(feed.mark(symbol, atMs), tradersLong + tradersShort)
  }
  return Number(notional) / MICRO
}

function microOf(usdc: number): bigint {
  return BigInt(Math.round(usdc * MICRO))
}
