import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { MICRO } from '../base/units.ts'
import { type Bar, emptyBar, mergeBar } from '../past/bar.ts'
import { BLOCK_MS } from '../state/market-history.ts'
import type { Account } from '../state/state.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import type { LiquidationRow, OrderRow } from './account-rows.ts'
import type { RankingJournal } from './days.ts'
import type { RecordJournal } from './records.ts'
import type { TurnoverDay, TurnoverJournal } from './turnover.ts'

type Kept = {
  readonly turnover: TurnoverJournal
  readonly rankings: RankingJournal
}

/**
 * Compares candles, volumes and the leaderboard, which all count the same trades. Returns a sentence per difference.
 * Leaves out days that were not counted completely.
 */
export function checkRecords(world: EngineWorld, { turnover, rankings }: Kept): string[] {
  const firstMs = Math.max(turnover.fromMs(), world.nowMs - DAYS_CHECKED_MAX * DAY_MS)
  const whole = turnover.days.filter(({ day }) => day * DAY_MS >= firstMs)
  return [
    ...world.scenes.flatMap(checkCandles),
    ...whole.flatMap((day) => checkDay(world, rankings, day)),
  ]
}

/** Maximum number of the leaderboard's days that are checked. */
const DAYS_CHECKED_MAX = 30

/** Checks that each half-hour candle equals the sum of its minute candles, as far as all minute candles are kept. */
function checkCandles({ market, history }: Scene): string[] {
  const [firstMs = 0] = history.minutes.keys()
  return Array.from(history.blocks).flatMap(([startMs, block]) => {
    if (startMs < firstMs) return []
    const bar = emptyBar()
    for (let atMs = startMs; atMs < startMs + BLOCK_MS; atMs += MINUTE_MS) {
      const minute = history.minutes.get(atMs)
      if (minute) mergeBar(bar, minute)
    }
    return isSame(bar, block)
      ? []
      : [`${market.spec.symbol}: the candle of ${startMs} is not its minutes`]
  })
}

function isSame(one: Bar, other: Bar): boolean {
  return (
    one.open === other.open &&
    one.high === other.high &&
    one.low === other.low &&
    one.close === other.close &&
    one.volume === other.volume &&
    one.amount === other.amount
  )
}

/** Checks that a day's trades count once in the candles and twice among the traders, once per side. */
function checkDay(world: EngineWorld, rankings: RankingJournal, turnover: TurnoverDay): string[] {
  const { day, trades } = turnover
  const { accounts } = world.exchange
  const amount = BigInt(turnover.usdc) * BigInt(MICRO) + BigInt(turnover.micros)
  const inCandles = totalAmount(world.scenes, (scene) => candlesOn(scene, day))
  const byAccounts = totalAmount(accounts, (account) => volumeOn(account, day))
  const ranked = accounts
    .flatMap((account) => rankings.of(account))
    .filter((row) => row.day === day)
  const counted = ranked.reduce((sum, row) => sum + row.trades, 0)
  return [
    ...(inCandles === amount ? [] : [`day ${day}: ${inCandles} in candles, ${amount} traded`]),
    ...(byAccounts === 2n * amount
      ? []
      : [`day ${day}: ${byAccounts} by accounts, ${amount} traded`]),
    ...(counted === 2 * trades
      ? []
      : [`day ${day}: ${counted} on the leaderboard, ${trades} traded`]),
  ]
}

function totalAmount<Each>(all: readonly Each[], amountIn: (each: Each) => bigint): bigint {
  return all.reduce((sum, each) => sum + amountIn(each), 0n)
}

function volumeOn({ days }: Account, day: number): bigint {
  return BigInt(days.findLast((each) => each.day === day)?.volume ?? 0)
}

function candlesOn({ market, history }: Scene, day: number): bigint {
  let amount = 0n
  for (let atMs = day * DAY_MS; atMs < (day + 1) * DAY_MS; atMs += BLOCK_MS)
    amount += BigInt(history.blocks.get(atMs)?.amount ?? 0) * BigInt(market.spec.unit)
  return amount
}

/** Finished orders and liquidations that are impossible, one sentence each; empty if the histories are consistent. */
export function checkFinished({ exchange }: EngineWorld, records: RecordJournal): string[] {
  const orders = exchange.accounts
    .filter(({ kind }) => kind === 'user')
    .flatMap((account) => records.of(account).orders)
  return [
    ...orders.filter(isImpossible).map(({ id }) => `order ${id} ended overfilled or half filled`),
    ...records.liquidations
      .filter(isTooMuch)
      .map(({ id }) => `liquidation ${id} handed over more than was held`),
  ]
}

/** Whether an order executed more than its quantity, or is FILLED without having executed all of it. */
function isImpossible({ status, executed, quantity }: OrderRow): boolean {
  return executed > quantity || executed < 0 || (status === 'FILLED' && executed !== quantity)
}

function isTooMuch({ takeovers }: LiquidationRow): boolean {
  return takeovers.some(({ quantity, held }) => Math.abs(quantity) > Math.abs(held))
}
