import { mulDiv, sumOf } from '../base/units.ts'
import {
  amountAt,
  type Book,
  flowsOf,
  isLocked,
  isPending,
  type Sample,
  sampleAt,
  sharesBought,
  type Transaction,
} from './book.ts'
import type { Request } from './vault.ts'

export type Owner = Pick<Request, 'role' | 'wallet'>

/** The wallet of the provider. */
export function providerOf({ vault }: Pick<Book, 'vault'>): string {
  return vault.investors[0]?.wallet ?? ''
}

/** The transactions of a wallet in a vault, oldest first. */
export function transactionsOf({ transactions }: Book, { role, wallet }: Owner): Transaction[] {
  return transactions.filter((each) => each.role === role && each.wallet === wallet)
}

/** A stake at a moment of its vault, now by default: main shares, or strategy shares of the provider. */
export function stakeOf(book: Book, owner: Owner, at: Sample = sampleAt(book, book.nowMs)) {
  const own = transactionsOf(book, owner)
  const done = own.filter((each) => !isPending(each) && each.executedAtMs <= at.atMs)
  const isProvider = owner.role === 'provider'
  const shares = isProvider && own.length > 0 ? at.providerShares : sumOf(done, sharesBought)
  const all = sumOf(done, (each) => Math.max(0, sharesBought(each)))
  const flows = flowsOf(own, at.atMs)
  return {
    ...{ ...flows, shares, nav: amountAt(shares, isProvider ? at.strategy : at.main) },
    /** The cost of its shares at the mean price; the provider pays no fees. */
    basis: all === 0 ? 0 : mulDiv(flows.paidIn, Math.min(shares, all), all, 'floor'),
  }
}

/** The performance fees that a stake bore at the end of each period, or that the provider earned. Oldest first. */
export function feesOf(book: Book, owner: Owner) {
  if (owner.role === 'provider')
    return owner.wallet === providerOf(book)
      ? book.openings.slice(1).map(({ atMs, fee }) => ({ atMs, ...fee }))
      : []
  const own = transactionsOf(book, owner).filter((each) => !isPending(each))
  return book.openings.flatMap(({ atMs, feePerShare }) => {
    const held = sumOf(own, (each) => (each.executedAtMs < atMs ? sharesBought(each) : 0))
    return held > 0 ? { atMs, shares: 0, amount: amountAt(held, feePerShare) } : []
  })
}

/** The wallets that hold main shares. */
export function holdersOf(book: Book): string[] {
  const wallets = new Set(
    book.transactions.flatMap(({ role, wallet }) => (role === 'lp' ? wallet : [])),
  )
  return [...wallets].filter((wallet) => stakeOf(book, { role: 'lp', wallet }).shares > 0)
}

/** The shares of a stake that can be given back: those that are neither locked nor asked for already. */
export function availableOf(book: Book, owner: Owner): number {
  const bound = transactionsOf(book, owner).filter(
    (each) => isLocked(each, book.nowMs) || (isPending(each) && each.type === 'withdrawal'),
  )
  return Math.max(0, stakeOf(book, owner).shares - sumOf(bound, (each) => each.shares))
}
