import { mulDiv, ONE } from '../base/units.ts'
import {
  type Book,
  NO_TOTALS,
  navOf,
  type Period,
  pricesAt,
  type Totals,
  turnoverOf,
} from './book.ts'
import type { Request, Role } from './request.ts'
import { VAULT_RULES } from './terms.ts'
import { isPending, periodAt, periodStartMs, type Transaction } from './vault.ts'

type Owner = Pick<Request, 'role' | 'wallet'>

/** A vault at one moment. */
export type Sample = Totals & {
  readonly atMs: number
  readonly nav: number
  /** Prices of a strategy share and of a main share. */
  readonly strategy: number
  readonly main: number
  /** Deposits that are not executed yet and payouts that are not claimed yet. */
  readonly idle: number
  readonly strategyShares: number
}

/** A vault as it was at a time. */
export function sampleAt({ vault, periods, transactions }: Book, atMs: number): Sample {
  const ended = periods.slice(0, Math.max(0, periodAt(vault, atMs)))
  const totals = ended.at(-1)?.totals ?? NO_TOTALS
  const { strategy, main } = pricesAt(ended, vault, atMs)
  const nav = navOf({ ...totals, strategy, main })
  const since = atMs - periodStartMs(vault, ended.length)
  const running = mulDiv(turnoverOf(vault, ended.length, nav), since, VAULT_RULES.periodMs, 'floor')
  const lpNav = mulDiv(totals.mainShares, main, ONE, 'floor')
  return {
    ...{ ...totals, atMs, nav, strategy, main },
    volume: totals.volume + running,
    idle: idleOf(transactions, atMs),
    strategyShares: totals.providerShares + mulDiv(lpNav, ONE, strategy, 'floor'),
  }
}

/** The money of transactions that earned nothing at a time: deposits not executed yet, payouts not claimed yet. */
export function idleOf(transactions: readonly Transaction[], atMs: number): number {
  let sum = 0
  for (const { type, amount, atMs: askedAtMs, executedAtMs, claimedAtMs } of transactions) {
    const [fromMs, toMs] =
      type === 'deposit' ? [askedAtMs, executedAtMs] : [executedAtMs, claimedAtMs]
    if (fromMs > 0 && fromMs <= atMs && (toMs === 0 || atMs < toMs)) sum += amount
  }
  return sum
}

/** The transactions of a wallet in a vault, oldest first. */
export function transactionsOf({ transactions }: Book, { role, wallet }: Owner): Transaction[] {
  return transactions.filter((each) => each.role === role && each.wallet === wallet)
}

/** A stake at a moment: main shares, or strategy shares of the provider. */
export type Stake = {
  readonly atMs: number
  readonly shares: number
  /** What the present shares were paid with. */
  readonly basis: number
  readonly paidIn: number
  readonly paidOut: number
  /** Performance fees that it bore, or that the provider earned: of this period, and of all. */
  readonly fee: { readonly shares: number; readonly amount: number } | null
  readonly fees: number
}

const NO_STAKE: Stake = { atMs: 0, shares: 0, basis: 0, paidIn: 0, paidOut: 0, fee: null, fees: 0 }

/** A stake at the end of each period, oldest first. */
export function stakesOf(book: Book, owner: Owner): Stake[] {
  const executed = Map.groupBy(transactionsOf(book, owner), ({ executedAtMs }) => executedAtMs)
  const isProvider = owner.role === 'provider' && owner.wallet === providerOf(book)
  const stakes: Stake[] = []
  for (const period of book.periods) {
    const charged = charge(stakes.at(-1) ?? NO_STAKE, period, isProvider)
    stakes.push((executed.get(period.endMs) ?? []).reduce(changed, charged))
  }
  return stakes
}

function charge(stake: Stake, { endMs, fee }: Period, isProvider: boolean): Stake {
  const held = { ...stake, atMs: endMs }
  if (isProvider) {
    const { shares, amount } = fee
    return { ...held, shares: stake.shares + shares, fee, fees: stake.fees + amount }
  }
  const amount = mulDiv(stake.shares, fee.perShare, ONE, 'floor')
  const borne = stake.shares === 0 ? null : { shares: 0, amount }
  return { ...held, fee: borne, fees: stake.fees + amount }
}

function changed(stake: Stake, { type, shares, amount }: Transaction): Stake {
  const { basis, paidIn, paidOut } = stake
  if (type === 'deposit')
    return {
      ...stake,
      shares: stake.shares + shares,
      basis: basis + amount,
      paidIn: paidIn + amount,
    }
  const given = mulDiv(basis, shares, stake.shares, 'floor')
  return {
    ...stake,
    shares: stake.shares - shares,
    basis: basis - given,
    paidOut: paidOut + amount,
  }
}

/** The wallet of the provider. */
export function providerOf({ vault }: Pick<Book, 'vault'>): string {
  return vault.investors[0]?.wallet ?? ''
}

/** A stake now, with its value and what of it is idle. */
export function holdingOf(book: Book, owner: Owner) {
  const stake = stakesOf(book, owner).at(-1) ?? NO_STAKE
  const { main, strategy } = sampleAt(book, book.nowMs)
  return {
    ...stake,
    nav: stakeValue(stake, owner.role, { main, strategy }),
    idle: idleOf(transactionsOf(book, owner), book.nowMs),
  }
}

/** The value of a stake, rounded down. */
export function stakeValue(
  { shares }: Pick<Stake, 'shares'>,
  role: Role,
  { main, strategy }: Pick<Sample, 'main' | 'strategy'>,
): number {
  return mulDiv(shares, role === 'lp' ? main : strategy, ONE, 'floor')
}

/** What has been won or lost since the beginning. */
export function pnlOf(of: Pick<Sample, 'nav' | 'paidIn' | 'paidOut'>): number {
  return of.nav + of.paidOut - of.paidIn
}

/** What a wallet asked for that is not executed yet. */
export function pendingOf(book: Book, type: Request['type'], role: Role): number {
  return book.transactions.reduce((sum, each) => {
    if (!isPending(each) || each.type !== type || each.role !== role) return sum
    return sum + each.size
  }, 0)
}
