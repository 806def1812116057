import { HOUR_MS } from '../../spec/durations.ts'
import type { VenueState } from '../exchange/state.ts'
import { AGENTS_BROKER, ownerOf, tradersOf } from '../exchange/trading-context.ts'
import { HOURS_KEPT, type HourRow } from '../history/turnover.ts'
import { barBetween } from '../state/market-history.ts'
import type { Market } from '../state/state.ts'

/** A front end of the venue. */
export type Builder = { readonly id: string; readonly name: string }

/** The builders of every world; any other one is a builder once it is asked for or has an account. */
const BUILDERS: readonly Builder[] = [{ id: AGENTS_BROKER, name: 'Demo X' }]

/** All builders that have an account, or the one that is asked for. */
export function buildersOf(exchange: VenueState, id: string | null): readonly Builder[] {
  const ids = id === null ? [...BUILDERS.map((each) => each.id), ...brokersOf(exchange)] : [id]
  return [...new Set(ids)].map(
    (each) => BUILDERS.find((known) => known.id === each) ?? { id: each, name: each },
  )
}

function brokersOf({ accounts }: VenueState): string[] {
  return Array.from(accounts.values(), ({ profile }) => profile.brokerId)
}

/** The number of a builder's users, with agents; sub-accounts do not count. */
export function usersOf(exchange: VenueState, { id }: Builder): number {
  const isMain = (key: string) => exchange.accounts.get(key)?.profile.main === undefined
  return tradersOf(exchange).filter(
    (account) => ownerOf(exchange, account).brokerId === id && isMain(account.key),
  ).length
}

/** Steps, and micro-USDC. */
export type Volume = { readonly quantity: number; readonly amount: number }

/**
 * A builder's volume in a market in the current hour and the 23 before it: the trades of its accounts, and those of
 * others with its order tags. A trade between two of its accounts counts twice.
 */
export function volumeThrough(
  exchange: VenueState,
  { id }: Builder,
  market: Market,
  nowMs: number,
): Volume {
  const firstHour = Math.floor(nowMs / HOUR_MS) - HOURS_KEPT + 1
  const rows = exchange
    .simulation()
    .hours.rows.filter((row) => row.market === market.number && row.hour >= firstHour)
  const isAt = (row: HourRow) => brokerOf(exchange, row) === id
  const tagged = sumOf(rows.filter((row) => row.tagOwner === id && !isAt(row)))
  // Every trade has two sides; accounts without a builder count for that of the simulated traders.
  if (id !== AGENTS_BROKER) return plus(sumOf(rows.filter(isAt)), tagged, 1)
  const all = turnoverOf(exchange, market, firstHour * HOUR_MS, nowMs)
  const others = sumOf(rows.filter((row) => !isAt(row)))
  return plus(plus(plus(all, all, 1), others, -1), tagged, 1)
}

function plus(a: Volume, b: Volume, sign: 1 | -1): Volume {
  return { quantity: a.quantity + sign * b.quantity, amount: a.amount + sign * b.amount }
}

function turnoverOf(
  { simulation }: VenueState,
  market: Market,
  fromMs: number,
  nowMs: number,
): Volume {
  const history = simulation().engine.world.scenes[market.number]?.history
  if (!history) return { quantity: 0, amount: 0 }
  const bar = barBetween(history, fromMs, nowMs + 1)
  return { quantity: bar.volume, amount: bar.amount * market.spec.unit }
}

function brokerOf(exchange: VenueState, { account }: HourRow): string {
  const { accounts } = exchange.simulation().engine.world.exchange
  const owner = accounts[account]
  return owner ? ownerOf(exchange, owner).brokerId : AGENTS_BROKER
}

function sumOf(rows: readonly HourRow[]): Volume {
  return rows.reduce<Volume>((sum, row) => plus(sum, row, 1), { quantity: 0, amount: 0 })
}
