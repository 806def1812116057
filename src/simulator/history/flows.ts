import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { notionalAt } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import type { Account, EngineOrder } from '../state/state.ts'
import { createEngineJournal, createRowTable, type EngineJournal } from './journal.ts'
import { hasHistory } from './records.ts'

/** The trades of an account in one market and margin mode: steps bought minus sold, their cost, volume and fees. */
export type TradeFlow = {
  readonly market: number
  readonly isolated: boolean
  bought: number
  /** Cost in micro-USDC. */
  paid: number
  volume: number
  fees: number
}

/** The trades of one minute. */
type MinuteFlow = TradeFlow & { readonly minute: number }

/** Users' trades of the last 1440 minutes, including the current minute. */
type FlowJournal = EngineJournal & {
  /** An account's trades, one row per market and margin mode. */
  readonly of: (account: Account, nowMs: number) => readonly TradeFlow[]
}

const MINUTES_A_DAY = DAY_MS / MINUTE_MS

export function createFlows(): FlowJournal {
  // Rows of each account, oldest first.
  const { rows: flows, of } = createRowTable<MinuteFlow[]>(() => [])
  // The sum of an account's rows. It is kept because reading the rows of a whole day takes long; it is not stored.
  const sums = new Map<number, TradeFlow[]>()

  function accountFlows(account: Account): TradeFlow[] {
    return sums.getOrInsertComputed(account.number, () => {
      const sum: TradeFlow[] = []
      for (const row of of(account)) add(flowIn(sum, row), row)
      return sum
    })
  }

  function count({ marketAccount, side }: EngineOrder, match: Match, fees: number): void {
    const { account, market, isolated } = marketAccount
    if (!hasHistory(account)) return
    const sum = accountFlows(account)
    const rows = of(account)
    const minute = minuteNumber(match.atMs)
    const volume = notionalAt(market.spec, match.price, match.quantity)
    const [bought, paid] = [side * match.quantity, side * volume]
    const flow = { market: market.number, isolated, bought, paid, volume, fees }
    add(minuteIn(rows, minute, flow), flow)
    add(flowIn(sum, flow), flow)
    for (const row of rows.splice(0, firstKept(rows, minute))) add(flowIn(sum, row), row, -1)
  }

  const journal = createEngineJournal('flows', flows, {
    observer: {
      matched: (match) => {
        count(match.taker, match, match.takerFee)
        count(match.maker, match, match.makerFee)
      },
    },
  })
  return {
    ...journal,
    of: (account, nowMs) => {
      const rows = of(account)
      const kept = firstKept(rows, minuteNumber(nowMs))
      if (kept === 0) return accountFlows(account)
      const sum = accountFlows(account).map((flow) => ({ ...flow }))
      for (const row of rows.slice(0, kept)) add(flowIn(sum, row), row, -1)
      return sum
    },
  }
}

/** The start of the window for which `FlowJournal.of` returns trades. */
export function dayFlowsFromMs(nowMs: number): number {
  return firstMinute(minuteNumber(nowMs)) * MINUTE_MS
}

function firstMinute(minute: number): number {
  return minute - MINUTES_A_DAY + 1
}

function minuteNumber(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS)
}

/** The row for a minute, with the market and mode of `of`. Searches the newest rows; creates a missing row. */
function minuteIn(rows: MinuteFlow[], minute: number, of: TradeFlow): MinuteFlow {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at]
    if (!row || row.minute !== minute) break
    if (isSame(row, of)) return row
  }
  const fresh = { minute, ...emptyFlow(of) }
  rows.push(fresh)
  return fresh
}

/** The row for the market and mode of `of`; created if missing. */
function flowIn(sum: TradeFlow[], of: TradeFlow): TradeFlow {
  const known = sum.find((row) => isSame(row, of))
  if (known) return known
  const fresh = emptyFlow(of)
  sum.push(fresh)
  return fresh
}

function isSame(a: TradeFlow, b: TradeFlow): boolean {
  return a.market === b.market && a.isolated === b.isolated
}

function emptyFlow({ market, isolated }: TradeFlow): TradeFlow {
  return { market, isolated, bought: 0, paid: 0, volume: 0, fees: 0 }
}

/** Adds a flow to another, or subtracts it. All numbers are integers, so sums are exact. */
function add(to: TradeFlow, { bought, paid, volume, fees }: TradeFlow, sign: 1 | -1 = 1): void {
  to.bought += sign * bought
  to.paid += sign * paid
  to.volume += sign * volume
  to.fees += sign * fees
}

/** The index of the first row that still counts at a minute. Rows are ordered oldest first. */
function firstKept(rows: readonly MinuteFlow[], minute: number): number {
  const from = firstMinute(minute)
  const at = rows.findIndex((row) => row.minute >= from)
  return at < 0 ? rows.length : at
}
