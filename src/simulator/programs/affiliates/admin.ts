import type { EntityStore } from '../../../core/ports.ts'
import type { VenueState } from '../../exchange/state.ts'
import { tradingContext } from '../../exchange/trading-context.ts'
import type { RebateShare } from '../../state/state.ts'
import {
  type AffiliateEntry,
  type Affiliates,
  effectiveRefereeRate,
  openAffiliates,
} from './affiliates.ts'
import { promote } from './program.ts'

/** The operator's part in the affiliate program outside of the venue's API. */
export type AffiliateAdmin = {
  /** Makes an account the operator of the program for its broker, until this process ends. */
  readonly appoint: (accountId: string) => void
  /** Makes an account a first-level affiliate permanently. */
  readonly promote: (accountId: string) => 'promoted' | 'already' | 'no_account'
}

/** The affiliate program of an exchange. */
export type AffiliateProgram = {
  readonly exchange: VenueState
  readonly affiliates: Affiliates
  /** Whether an account is the program's operator for its broker. */
  readonly isOperator: (accountId: string) => boolean
  readonly admin: AffiliateAdmin
}

/** Opens the stored program. Every change of a rate is sent to the engine. */
export function openAffiliateProgram(
  exchange: VenueState,
  entities: EntityStore,
): AffiliateProgram {
  const stored = openAffiliates(entities)
  const affiliates: Affiliates = {
    ...stored,
    put(...entries) {
      stored.put(...entries)
      syncShares({ exchange, affiliates: stored })
    },
  }
  exchange.whenOpen(() => syncShares({ exchange, affiliates: stored }))
  const operators = new Set<string>()
  return {
    exchange,
    affiliates,
    isOperator: (accountId) => operators.has(accountId),
    admin: {
      appoint: (accountId) => void operators.add(accountId.toLowerCase()),
      promote: (accountId) => promote(exchange, affiliates, accountId.toLowerCase()),
    },
  }
}

/** Sends the changed fee shares of referred accounts to the engine. */
function syncShares({
  exchange,
  affiliates,
}: Pick<AffiliateProgram, 'exchange' | 'affiliates'>): void {
  const joined = affiliates.withCode().flatMap(({ accountId }) => affiliates.refereesOf(accountId))
  for (const referee of joined) {
    if (!exchange.accounts.has(referee.accountId)) continue
    const { engine, account } = tradingContext(exchange, referee.accountId)
    const shares = rebateShares({ exchange, affiliates }, referee, account.number)
    if (JSON.stringify(shares) === JSON.stringify(account.shares)) continue
    engine.submit('shares', { account: account.number, shares }, engine.world.nowMs)
  }
}

/**
 * The rebate shares of an account's fees. The account and its referrer divide the referrer's rate. Each higher referrer
 * gets the part of its rate that exceeds the rates below. The shares add up to the highest rate.
 */
function rebateShares(
  { exchange, affiliates }: Pick<AffiliateProgram, 'exchange' | 'affiliates'>,
  referee: AffiliateEntry,
  number: number,
): RebateShare[] {
  const referrer = referee.joined && affiliates.of(referee.joined.accountId)
  if (!referrer) return []
  const rate = Number(referrer.maxRate)
  const refereeRate = Number(effectiveRefereeRate(referrer, referee))
  const accountNumber = ({ accountId }: AffiliateEntry) =>
    tradingContext(exchange, accountId).account.number
  const shares: RebateShare[] = [
    { to: number, rate: refereeRate, level: 'referee' },
    { to: accountNumber(referrer), rate: rate - refereeRate, level: 'direct' },
  ]
  let given = rate
  for (let at = referrer.joined; at; at = affiliates.of(at.accountId).joined) {
    const above = affiliates.of(at.accountId)
    const beyond = Math.max(0, Number(above.maxRate) - given)
    shares.push({ to: accountNumber(above), rate: beyond, level: 'indirect' })
    given += beyond
  }
  return shares
}
