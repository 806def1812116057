import { DAY_MS } from '../../spec/durations.ts'
import { draw, stream } from '../base/rng.ts'
import { MICRO, shareOf } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { AGENTS_BROKER, ownerOf } from '../exchange/trading-context.ts'
import type { MarketDay } from '../history/days.ts'
import type { Account, Day } from '../state/state.ts'
import type { World } from '../state/world.ts'
import { keyOf } from '../traders/population.ts'
import { epochOf, epochStartMs, firstEpochOf } from './tables.ts'

/** An account in the programs: a caller's, or a public one whose trades are a function of seed and day. */
export type Participant = ReturnType<typeof ownerOf> & {
  /** Its account id on the wire, and a number of its own. */
  readonly key: string
  readonly number: number
  /** The caller's account; null of a public one. */
  readonly account: Account | null
  /** Volume and fees by UTC day, and volume by day and market. Oldest first. */
  readonly days: readonly Pick<Day, 'day' | 'volume' | 'fees'>[]
  readonly trades: readonly MarketDay[]
  /** The micro-ORDER that it staked before the world began. */
  readonly endowment: number
}

/** How many public accounts take part, and the part of its market's turnover that the first in a market trades. */
const PUBLIC_COUNT = 60
const TURNOVER_SHARE = 0.04
/** Fees of public accounts: three basis points. */
const FEE_RATE = 30_000
/** The mean value of an order, and the endowment of the largest public account: micro-USDC and micro-ORDER. */
const ORDER_VALUE = 5_000 * MICRO
const ENDOWMENT_MAX = 2_000_000 * MICRO

/** All participants as of now. */
export function participantsOf(exchange: VenueState, nowMs: number): readonly Participant[] {
  const { engine, marketDays } = exchange.simulation()
  const users = engine.world.exchange.accounts.filter(({ kind }) => kind === 'user')
  return [
    ...publicParticipants(engine.world, nowMs),
    ...users.map((account) => ({
      ...ownerOf(exchange, account),
      ...{ key: account.key, number: account.number, account, endowment: 0 },
      ...{ days: account.days, trades: marketDays.of(account) },
    })),
  ]
}

function publicParticipants({ seed, beginsAtMs, scenes }: World, nowMs: number): Participant[] {
  const firstDay = epochStartMs(firstEpochOf({ beginsAtMs })) / DAY_MS
  return Array.from({ length: PUBLIC_COUNT }, (_, at) => {
    const scene = scenes[at % scenes.length]
    const rank = Math.floor(at / scenes.length)
    const key = keyOf(seed, `taker/${scene?.listed.symbol}/${rank}`)
    const usual = ((scene?.listed.dailyTurnoverUsdc ?? 0) * MICRO * TURNOVER_SHARE) / (rank + 1)
    const source = stream(seed, 'participant', String(at))
    const trades = tradesOf({ source, usual, firstDay, nowMs, market: scene?.market.number ?? 0 })
    const days = trades.map(({ day, volume }) => ({ day, volume, fees: shareOf(volume, FEE_RATE) }))
    const endowment = Math.floor(ENDOWMENT_MAX * draw(source, -1))
    const owner = { address: `0x${key.slice(-40)}`, brokerId: AGENTS_BROKER }
    return { ...owner, key, number: PUBLIC_FROM + at, account: null, days, trades, endowment }
  })
}

/** Numbers of public participants: above those of accounts. */
const PUBLIC_FROM = 900_000

type Trading = {
  readonly source: number
  readonly usual: number
  readonly firstDay: number
  readonly nowMs: number
  readonly market: number
}

/** A public account trades its usual volume every day, a half more or less; of today as much as has passed of it. */
function tradesOf({ source, usual, firstDay, nowMs, market }: Trading): MarketDay[] {
  const length = Math.floor(nowMs / DAY_MS) - firstDay + 1
  const rows = Array.from({ length }, (_, at) => {
    const day = firstDay + at
    const passed = Math.min(1, (nowMs - day * DAY_MS) / DAY_MS)
    const volume = Math.floor(usual * (0.5 + draw(source, day)) * passed)
    const lastMs = Math.min(nowMs, (day + 1) * DAY_MS - 1)
    const orders = Math.floor(volume / ORDER_VALUE)
    return { day, market, volume, orders, sinceMs: day * DAY_MS, lastMs }
  })
  return rows.filter(({ volume }) => volume > 0)
}

/** Volume and fees of an epoch, micro-USDC. */
export type EpochRow = { readonly epoch: number; readonly volume: number; readonly fees: number }

/** The trading of a participant by epoch, oldest first. */
export function epochsOf({ days }: Pick<Participant, 'days'>): readonly EpochRow[] {
  const rows: EpochRow[] = []
  for (const { day, volume, fees } of days) {
    const epoch = epochOf(day * DAY_MS)
    const last = rows.at(-1)?.epoch === epoch ? rows.pop() : undefined
    rows.push({ epoch, volume: volume + (last?.volume ?? 0), fees: fees + (last?.fees ?? 0) })
  }
  return rows
}

/** Points for each USDC traded, and for each paid in fees. */
const POINTS = { traded: 1, paid: 10 } as const

/** The points of an epoch, rounded so that epochs add up to totals. */
export function pointsOf({ volume, fees }: Pick<EpochRow, 'volume' | 'fees'>): number {
  return Math.floor((volume * POINTS.traded + Math.max(0, fees) * POINTS.paid) / MICRO)
}
