import { feePart } from '../../engine/vaults/fee.ts'
import { mainPrice, pnlOf, stakeOf, stakeWorth } from '../../engine/vaults/value.ts'
import { newStake, type Role, type Stake, type Transaction } from '../../engine/vaults/vault.ts'
import { type History, type Point, requestsOf, samplesOf } from './history.ts'

/** A stake, moment by moment since its first deposit was executed. */
export function stakePoints(history: History, wallet: string, isHourly: boolean): Point[] {
  const requests = requestsOf(history, 'lp', wallet)
  const changes = changesOf(history, 'lp', wallet)
  const first = changes.at(-1)
  if (!first) return []
  return samplesOf(history, isHourly)
    .filter(({ atMs }) => atMs >= first.atMs)
    .map((sample) => {
      const stake = stakeThen(history, 'lp', wallet, changes, sample.atMs)
      const { atMs } = sample
      const nav = stakeWorth(sample, 'lp', stake)
      const value = nav + idleThen(requests, atMs)
      const price = mainPrice(sample)
      return { atMs, value, pnl: pnlOf({ ...stake, nav }), price, volume: 0, fees: 0 }
    })
}

/** A provider's fee of each period, or what of it one wallet bore; periods without a stake are left out. */
export function feesOf(history: History, role: Role, wallet: string) {
  const changes = changesOf(history, role, wallet)
  const rows = history.fees.map((fee) => {
    // What the same moment executed came after the fee.
    const { shares: held } = stakeThen(history, role, wallet, changes, fee.atMs - 1)
    if (role === 'provider') return { fee, held, shares: fee.shares, amount: fee.amount }
    return { fee, held, shares: 0, amount: feePart(fee.amount, held, fee.mainShares) }
  })
  return rows.filter(({ held }) => held > 0)
}

/** What of a wallet's money was in the vault at a time without earning. */
function idleThen(requests: readonly Transaction[], atMs: number): number {
  const isThen = (fromMs: number, toMs: number) => fromMs <= atMs && (toMs === 0 || atMs < toMs)
  return requests
    .filter(({ type, requestedAtMs, executedAtMs, claimedAtMs }) =>
      type === 'deposit'
        ? isThen(requestedAtMs, executedAtMs)
        : executedAtMs > 0 && isThen(executedAtMs, claimedAtMs),
    )
    .reduce((sum, { amount }) => sum + amount, 0)
}

/** What changed a stake, and by how much. */
type Change = Pick<Stake, 'shares' | 'paidIn' | 'paidOut'> & { readonly atMs: number }

/** Everything that changed a wallet's stake, the newest first. */
function changesOf(history: History, role: Role, wallet: string): Change[] {
  const executed = requestsOf(history, role, wallet).filter((each) => each.executedAtMs > 0)
  const earned = role === 'provider' ? history.fees : []
  return [
    ...executed.map(changeOf),
    ...earned.map(({ atMs, shares }) => gained(atMs, shares)),
  ].sort((a, b) => b.atMs - a.atMs)
}

function changeOf({ type, executedAtMs, claimedAtMs, shares, amount }: Transaction): Change {
  return type === 'deposit'
    ? { ...gained(executedAtMs, shares), paidIn: claimedAtMs > 0 ? 0 : amount }
    : { ...gained(executedAtMs, -shares), paidOut: amount }
}

function gained(atMs: number, shares: number): Change {
  return { atMs, shares, paidIn: 0, paidOut: 0 }
}

/** A stake as it was at a time: what it is now, less what has changed since. */
function stakeThen(
  { vault }: History,
  role: Role,
  wallet: string,
  changes: readonly Change[],
  atMs: number,
): Pick<Stake, 'shares' | 'paidIn' | 'paidOut'> {
  const { shares, paidIn, paidOut } = stakeOf(vault.ledger, role, wallet) ?? newStake(wallet)
  const then = { shares, paidIn, paidOut }
  for (const change of changes) {
    if (change.atMs <= atMs) break
    then.shares -= change.shares
    then.paidIn -= change.paidIn
    then.paidOut -= change.paidOut
  }
  return then
}
