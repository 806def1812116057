import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { notionalOf } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import type { Account, Order } from '../state/state.ts'
import { createJournal, createRowTable, type Journal } from './journal.ts'
import { isKept } from './records.ts'

/** An account's trades in one market and minute: steps bought minus sold, their cost, and fees. */
export type Flow = {
  readonly minute: number
  readonly market: number
  bought: number
  /** Micro-USDC. */
  paid: number
  volume: number
  fees: number
}

/** The trades of users in the last 1440 minutes, including the current one. */
export type FlowJournal = Journal & {
  /** Oldest first. */
  readonly of: (account: Account, nowMs: number) => readonly Flow[]
}

const MINUTES_A_DAY = DAY_MS / MINUTE_MS

export function createFlows(): FlowJournal {
  const { rows: flows, of } = createRowTable<Flow[]>(() => [])

  function count({ marketAccount, side }: Order, match: Match, fees: number): void {
    const { account, market } = marketAccount
    if (!isKept(account)) return
    const rows = of(account)
    const minute = minuteOf(match.atMs)
    const flow = flowIn(rows, minute, market.number)
    const notional = notionalOf(market.spec, match.price, match.quantity)
    flow.bought += side * match.quantity
    flow.paid += side * notional
    flow.volume += notional
    flow.fees += fees
    drop(rows, minute)
  }

  const journal = createJournal('flows', flows, {
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
      const kept = firstKept(rows, minuteOf(nowMs))
      return kept === 0 ? rows : rows.slice(kept)
    },
  }
}

/** The beginning of the window that `of` returns. */
export function dayFlowsFromMs(nowMs: number): number {
  return firstMinute(minuteOf(nowMs)) * MINUTE_MS
}

function firstMinute(minute: number): number {
  return minute - MINUTES_A_DAY + 1
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS)
}

/** The row of a minute and a market, searched among the newest and created when missing. */
function flowIn(rows: Flow[], minute: number, market: number): Flow {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at]
    if (!row || row.minute !== minute) break
    if (row.market === market) return row
  }
  const fresh = { minute, market, bought: 0, paid: 0, volume: 0, fees: 0 }
  rows.push(fresh)
  return fresh
}

function drop(rows: Flow[], minute: number): void {
  const kept = firstKept(rows, minute)
  if (kept > 0) rows.splice(0, kept)
}

/** Where the rows begin, oldest first, that a minute still counts. */
function firstKept(rows: readonly Flow[], minute: number): number {
  const from = firstMinute(minute)
  const at = rows.findIndex((row) => row.minute >= from)
  return at < 0 ? rows.length : at
}
