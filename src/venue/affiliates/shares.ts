import type { RebateShare } from '../engine/state.ts'
import { seatOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { type Affiliate, type Affiliates, refereeRateOf } from './affiliates.ts'

type Program = { readonly exchange: Exchange; readonly affiliates: Affiliates }

/**
 * Tells the engine who gets which part of whose fees, for everyone who joined with a code. What it knows already is not
 * said again, so that it may be asked at any time.
 */
export function syncShares({ exchange, affiliates }: Program): void {
  const joined = affiliates.withCode().flatMap(({ accountId }) => affiliates.refereesOf(accountId))
  for (const referee of joined) {
    if (!exchange.accounts.has(referee.accountId)) continue
    const { engine, account } = seatOf(exchange, referee.accountId)
    const shares = sharesOf({ exchange, affiliates }, referee, account.number)
    if (JSON.stringify(shares) === JSON.stringify(account.shares)) continue
    engine.submit('shares', { account: account.number, shares }, engine.world.nowMs)
  }
}

/**
 * The parts of an account's fees: its own, its referrer's, and of everybody further up what is beyond the rates below.
 * Together they are never more than the highest of these rates.
 */
function sharesOf(
  { exchange, affiliates }: Program,
  referee: Affiliate,
  number: number,
): RebateShare[] {
  const referrer = referee.joined && affiliates.of(referee.joined.accountId)
  if (!referrer) return []
  const rate = Number(referrer.maxRate)
  const refereeRate = Number(refereeRateOf(referrer, referee))
  const numberOf = ({ accountId }: Affiliate) => seatOf(exchange, accountId).account.number
  const shares: RebateShare[] = [
    { to: number, rate: refereeRate, level: 'referee' },
    { to: numberOf(referrer), rate: rate - refereeRate, level: 'direct' },
  ]
  let given = rate
  for (let at = referrer.joined; at; at = affiliates.of(at.accountId).joined) {
    const above = affiliates.of(at.accountId)
    const beyond = Math.max(0, Number(above.maxRate) - given)
    shares.push({ to: numberOf(above), rate: beyond, level: 'indirect' })
    given += beyond
  }
  return shares
}
