import type { EntityStore } from '../../core/ports.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { applyLeverage, BASE_FEES, deposit, exposureOf, openAccount } from '../engine/accounts.ts'
import type { Account } from '../engine/state.ts'
import type { World } from '../engine/world.ts'
import { larger, sumOf, worthOf } from '../units.ts'
import type { Journal } from './journal.ts'
import type { Profile } from './state.ts'
import { readEntities } from './stored.ts'

/** Accounts as they were stored before the engine held balances and positions: amounts are bigints, units as in feed.ts. */
export type FormerProfile = Profile & {
  readonly holding: bigint
  readonly leverage: number
  readonly leverages: Readonly<Record<string, number>>
  readonly volume: bigint
}

type FormerPosition = {
  readonly accountId: string
  readonly symbol: string
  readonly quantity: bigint
  readonly cost: bigint
  readonly lastSumUnitary: bigint
}

type FormerDay = {
  readonly accountId: string
  readonly date: string
  readonly volume: bigint
  readonly fees: bigint
}

/** What positions of before are settled at; null for a market that is gone. */
export type FormerPrices = (
  symbol: string,
  atMs: number,
) => { readonly mark: bigint; readonly sumUnitary: bigint } | null

/** Kinds of entities that only the exchange of before had. */
const FORMER_KINDS = ['order', 'trade', 'position', 'day', 'funding', 'closed', 'consumed'] as const

/** What the import of an earlier version's accounts keeps, changes and drops. */
export type ImportFacts = {
  readonly accounts: number
  /** Positions that are closed at the mark, their result in the balance. */
  readonly positionsSettled: number
  readonly openOrdersDropped: number
  /** Rows of finished orders, fills, closed positions and funding payments. */
  readonly historyRowsDropped: number
}

type FormerOrder = { readonly status: string }

const OPEN_STATUSES: ReadonlySet<string> = new Set(['NEW', 'PARTIAL_FILLED'])
const HISTORY_KINDS = ['order', 'trade', 'funding', 'closed'] as const

function importFacts(entities: EntityStore, accounts: number): ImportFacts {
  const orders = readEntities<FormerOrder>(entities, 'order')
  const open = orders.filter(({ status }) => OPEN_STATUSES.has(status)).length
  const history = HISTORY_KINDS.map((kind) => Array.from(entities.load(kind)).length)
  return {
    accounts,
    positionsSettled: Array.from(entities.load('position')).length,
    openOrdersDropped: open,
    historyRowsDropped: history.reduce((sum, count) => sum + count, 0) - open,
  }
}

/**
 * Lets the accounts of before into a new world: each position is settled into the balance at the mark and the funding
 * of genesis, open orders are cancelled, histories of trading end. Nobody comes in with less than nothing.
 */
export function moveIn(
  world: World,
  entities: EntityStore,
  profiles: readonly FormerProfile[],
  prices: FormerPrices,
): void {
  const owner = ({ accountId }: { readonly accountId: string }) => accountId
  const positions = Map.groupBy(readEntities<FormerPosition>(entities, 'position'), owner)
  const days = Map.groupBy(readEntities<FormerDay>(entities, 'day'), owner)
  const settled = (position: FormerPosition) => resultOf(position, prices, world.genesisMs)
  for (const former of profiles) {
    const { accountId: key, leverage } = former
    const balance = former.holding + sumOf(positions.get(key) ?? [], settled)
    const account = openAccount(world.exchange, { key, leverage, fees: BASE_FEES })
    deposit(world.exchange, account, Number(larger(0n, balance)))
    carryOver(world, account, former, days.get(key) ?? [])
  }
}

/** Stores what is left to store of the accounts of before, once they are in a world, and drops the rest. */
export function dropFormer(
  journal: Journal,
  entities: EntityStore,
  profiles: readonly Profile[],
): ImportFacts {
  const facts = importFacts(entities, profiles.length)
  for (const profile of profiles) journal.put('account', profile.accountId, profile)
  for (const kind of FORMER_KINDS)
    for (const { key } of entities.load(kind)) journal.remove(kind, key)
  return facts
}

/** What a position is worth to its owner, funding that is due included. */
function resultOf(
  { symbol, quantity, cost, lastSumUnitary }: FormerPosition,
  prices: FormerPrices,
  atMs: number,
): bigint {
  const found = prices(symbol, atMs)
  if (!found) return 0n
  const funding = worthOf(quantity, found.sumUnitary - lastSumUnitary, 'ceil')
  return worthOf(found.mark, quantity, 'floor') - cost - funding
}

function carryOver(
  { exchange }: World,
  account: Account,
  { leverages, volume }: FormerProfile,
  days: readonly FormerDay[],
): void {
  account.volume = Number(volume)
  for (const [symbol, leverage] of Object.entries(leverages)) {
    const market = exchange.bySymbol.get(symbol)
    if (market) applyLeverage(exposureOf(account, market), leverage)
  }
  for (const day of days.toSorted((a, b) => (a.date < b.date ? -1 : 1)))
    account.days.push({
      day: Date.parse(day.date) / DAY_MS,
      volume: Number(day.volume),
      fees: Number(day.fees),
      realizedPnl: 0,
    })
}
