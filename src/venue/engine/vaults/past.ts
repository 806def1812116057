import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { type Chance, chanceOf, normal } from '../chance.ts'
import { firstMove, giveBack, type Move, newInvestors, nextMove, restOf } from './investors.ts'
import { claim, enqueue } from './ledger.ts'
import { closePeriod } from './period.ts'
import type { VaultTerms } from './terms.ts'
import { sharesAt } from './value.ts'
import {
  type FeeRow,
  type Investor,
  type Ledger,
  newLedger,
  type PeriodRow,
  type Sample,
  type Transaction,
} from './vault.ts'

/** What is told of a vault: its samples by the hour and by the day, and what is over. Oldest first. */
export type Books = {
  readonly hours: Sample[]
  readonly days: Sample[]
  readonly transactions: Transaction[]
  readonly fees: FeeRow[]
  readonly periods: PeriodRow[]
}

/** A vault before this world, up to the moment when it joins. */
export type Past = {
  readonly ledger: Ledger
  readonly investors: readonly Investor[]
  /** What its account begins with. */
  readonly nav: number
  /** What is on its way in or out. */
  readonly waiting: number
  readonly volume: number
  readonly fees: number
  readonly books: Books
}

/** For how long the past is told by the hour. */
export const HOURS_KEPT_MS = 31 * DAY_MS

/**
 * A vault's past: a pure function of the seed. Its value strays as its terms say; its investors and its
 * periods are those of any vault.
 */
export function pastOf(seed: number, terms: VaultTerms, joinedAtMs: number): Past {
  const lastDayMs = Math.floor(joinedAtMs / DAY_MS) * DAY_MS
  const startedAtMs = lastDayMs - terms.past.days * DAY_MS
  const investors = newInvestors(seed, terms)
  const chance = chanceOf(seed, 'vault', terms.name, 'past')
  const [provider] = investors
  const life: Life = {
    terms,
    chance,
    investors,
    ledger: newLedger(startedAtMs, provider?.wallet ?? ''),
    nav: 0,
    volume: 0,
    fees: 0,
    books: { hours: [], days: [], transactions: [], fees: [], periods: [] },
  }
  for (const investor of investors) {
    apply(life, investor, firstMove(investor, terms), startedAtMs)
    investor.nextAtMs = startedAtMs + DAY_MS + restOf(investor)
  }
  const toldFromMs = joinedAtMs - HOURS_KEPT_MS
  const hourlyFromMs = Math.floor(toldFromMs / DAY_MS) * DAY_MS
  let atMs = startedAtMs
  for (;;) {
    const stepMs = atMs < hourlyFromMs ? COARSE_MS : HOUR_MS
    atMs += stepMs
    if (atMs > joinedAtMs) break
    live(life, atMs, stepMs, atMs > toldFromMs)
  }
  const { ledger, nav, volume, fees, books } = life
  return { ledger, investors, nav, waiting: waitingOf(ledger), volume, fees, books }
}

/** Micro-USDC that are asked in and not traded with yet, or paid out and not fetched yet. */
export function waitingOf({ open }: Pick<Ledger, 'open'>): number {
  return open.reduce((sum, { type, amount, executedAtMs, claimedAtMs }) => {
    const waits = type === 'deposit' ? executedAtMs === 0 : claimedAtMs === 0
    return waits ? sum + amount : sum
  }, 0)
}

type Life = {
  readonly terms: VaultTerms
  readonly chance: Chance
  readonly investors: readonly Investor[]
  readonly ledger: Ledger
  readonly books: Books
  nav: number
  volume: number
  fees: number
}

/** Steps of the past where nobody is told of hours. */
const COARSE_MS = 6 * HOUR_MS

/** One step of the past. */
function live(life: Life, atMs: number, stepMs: number, isTold: boolean): void {
  const { ledger, books, investors } = life
  trade(life, stepMs / DAY_MS)
  if ((atMs - ledger.startedAtMs) % DAY_MS === 0) endDay(life, atMs)
  if (isTold) books.hours.push(sampleOf(life, atMs))
  if (atMs % DAY_MS === 0) books.days.push(sampleOf(life, atMs))
  for (const investor of investors) {
    if (investor.nextAtMs > atMs) continue
    apply(life, investor, nextMove(investor, ledger, true, atMs), atMs)
    investor.nextAtMs = atMs + restOf(investor)
  }
}

function trade(life: Life, days: number): void {
  const { dailyReturn, dailyVolatility, dailyTurnover, feeOfTurnover } = life.terms.past
  const move = dailyReturn * days + dailyVolatility * Math.sqrt(days) * normal(life.chance)
  const volume = Math.floor(life.nav * dailyTurnover * Math.exp(0.4 * normal(life.chance)) * days)
  life.nav = Math.floor(life.nav * (1 + move))
  life.volume += volume
  life.fees += Math.floor(volume * feeOfTurnover)
}

/** Of what a vault holds in the past, half could be taken out at once. */
const FREE = 0.5

function endDay(life: Life, atMs: number): void {
  const { ledger, nav, books, terms } = life
  const payoutMax = Math.floor(nav * FREE)
  const closing = closePeriod(ledger, { nav, payoutMax, feeRate: terms.feeRate }, atMs)
  life.nav += closing.period.deposited - closing.period.withdrawn
  giveBack(life.investors, closing.returned)
  books.fees.push(closing.fee)
  books.periods.push(closing.period)
  books.transactions.push(...closing.finished)
}

function apply(life: Life, investor: Investor, move: Move, atMs: number): void {
  if (!move) return
  const { ledger, books } = life
  if (move.kind === 'ask') {
    enqueue(ledger, move.wish, atMs)
    return
  }
  const over = claim(ledger, investor, atMs)
  for (const { amount } of over) investor.purse += amount
  books.transactions.push(...over)
}

function sampleOf({ ledger, nav, volume, fees }: Life, atMs: number): Sample {
  return {
    atMs,
    ...sharesAt(ledger, nav),
    idle: waitingOf(ledger),
    paidIn: ledger.paidIn,
    paidOut: ledger.paidOut,
    volume,
    fees,
  }
}
