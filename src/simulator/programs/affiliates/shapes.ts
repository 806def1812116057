import { tradingContext } from '../../exchange/trading-context.ts'
import { fixed, wireUsdc } from '../../messages/values.ts'
import { type AffiliateEntry, effectiveRefereeRate } from './affiliates.ts'
import {
  accruedRebates,
  callerEntry,
  combined,
  type Days,
  ownRebate,
  type Program,
  type ProgramCall,
  type ReferralReach,
  rebatesTo,
  referralReach,
} from './rebates.ts'

/** The rates of a code under both of their names. The rate is the only payment, so the base is 0. */
export function maxRates({ maxRate }: AffiliateEntry) {
  return {
    max_rebate_rate: fixed(maxRate),
    bonus_max_rebate_rate: fixed(maxRate),
    base_rebate_rate: 0,
  }
}

/** The default rate of accounts that join. */
export function refereeRates({ refereeRate }: AffiliateEntry) {
  return {
    default_referee_rebate_rate: fixed(refereeRate),
    default_bonus_referee_rebate_rate: fixed(refereeRate),
  }
}

/** GET multi_level/statistics. A code's rate is the only payment, so base and bonus are 0. */
export function statistics({ direct, indirect }: ReferralReach) {
  return {
    direct_invites: direct.invites,
    indirect_invites: indirect.invites,
    direct_traded: direct.traded,
    indirect_traded: indirect.traded,
    direct_volume: wireUsdc(direct.volume),
    indirect_volume: wireUsdc(indirect.volume),
    direct_rebate: wireUsdc(direct.rebate),
    direct_bonus_rebate: 0,
    base_rebate: 0,
    indirect_rebate: wireUsdc(indirect.rebate),
  }
}

/** GET multi_level/rebate_info. */
export function rebateInfo(affiliate: AffiliateEntry, reach: ReferralReach) {
  const { direct_traded: _, indirect_traded: __, ...figures } = statistics(reach)
  return {
    referral_code: affiliate.code ?? '',
    ...maxRates(affiliate),
    direct_bonus_rebate_rate: 0,
    ...refereeRates(affiliate),
    ...figures,
  }
}

/** GET referral/info. In each period, the figures of direct and indirect referrals are added up. */
export function referralInfo(call: ProgramCall) {
  const { exchange, affiliates, nowMs } = call
  const affiliate = callerEntry(call)
  const referrer = affiliate.joined && affiliates.of(affiliate.joined.accountId)
  const rate = referrer ? effectiveRefereeRate(referrer, affiliate) : 0n
  const own = ownRebate(exchange, affiliate.accountId)
  const byPeriod = <T>(rowOf: (period: string, days: Days) => Record<string, T>) =>
    Object.assign({}, ...PERIODS.map(({ period, days }) => rowOf(period, days)))
  return {
    referrer_info: {
      ...byPeriod((period, days) => {
        const { invites, traded, volume, rebate } = combined(
          referralReach(call, affiliate.accountId, nowMs, days),
        )
        return {
          [`${period}_invites`]: invites,
          [`${period}_traded`]: traded,
          [`${period}_referee_volume`]: wireUsdc(volume),
          [`${period}_referrer_rebate`]: wireUsdc(rebate),
        }
      }),
      referral_codes: affiliate.code === null ? [] : [codeRow(call, affiliate, nowMs)],
    },
    referee_info: {
      referer_code: referrer?.code ?? '',
      referee_rebate_rate: fixed(rate),
      bonus_referee_rebate_rate: fixed(rate),
      ...byPeriod((period, days) => ({
        [`${period}_referee_rebate`]: wireUsdc(accruedRebates(own, nowMs, days)),
      })),
    },
  }
}

const PERIODS = [
  { period: '1d', days: 1 },
  { period: '7d', days: 7 },
  { period: '30d', days: 30 },
  { period: 'total', days: null },
] as const

function codeRow(program: Program, affiliate: AffiliateEntry, nowMs: number) {
  const { invites, traded } = combined(referralReach(program, affiliate.accountId, nowMs, null))
  const { base_rebate_rate: _, ...rates } = maxRates(affiliate)
  const { maxRate, refereeRate } = affiliate
  return {
    code: affiliate.code,
    ...rates,
    referrer_rebate_rate: fixed(maxRate - refereeRate),
    bonus_referrer_rebate_rate: fixed(maxRate - refereeRate),
    referee_rebate_rate: fixed(refereeRate),
    bonus_referee_rebate_rate: fixed(refereeRate),
    total_invites: invites,
    total_traded: traded,
  }
}

/** The rows of GET referral/referee_info: the accounts that joined with the account's code. */
export function refereeRows(call: ProgramCall) {
  const { exchange, affiliates } = call
  const { code, accountId } = callerEntry(call)
  const rebates = new Map(rebatesTo(exchange, accountId).map((each) => [each.from, each.total]))
  return affiliates.refereesOf(accountId).flatMap(({ accountId: id, joined }) => {
    const profile = exchange.accounts.get(id)?.profile
    if (!profile) return []
    const { volume, number } = tradingContext(exchange, id).account
    return {
      account_id: id,
      user_address: profile.address,
      register_time: profile.createdAtMs,
      code_binding_time: joined?.atMs,
      referral_code: code,
      volume: wireUsdc(volume),
      referral_rebate: wireUsdc(rebates.get(number) ?? 0),
      trade_status: volume > 0 ? 'Traded' : 'Registered',
    }
  })
}

/** The rows of GET multi_level/referee_list. */
export function refereeList(call: ProgramCall) {
  const affiliate = callerEntry(call)
  const { maxRate, code, accountId } = affiliate
  return call.affiliates.refereesOf(accountId).map((referee) => {
    const refereeRate = effectiveRefereeRate(affiliate, referee)
    return {
      address: call.exchange.accounts.get(referee.accountId)?.profile.address,
      account_id: referee.accountId,
      code_binding_time: referee.joined?.atMs,
      bind_type: 'multi_level',
      bind_code: code,
      referral_rebate_rate: fixed(maxRate - refereeRate),
      bonus_referrer_rebate_rate: fixed(maxRate - refereeRate),
      referee_rebate_rate: fixed(refereeRate),
      bonus_referee_rebate_rate: fixed(refereeRate),
      is_default_rate: referee.givenRate === undefined,
      ...statistics(referralReach(call, referee.accountId, call.nowMs, null)),
    }
  })
}

/** The rows of GET multi_level/admin/info: the operator's accounts that have a code. */
export function affiliateRows(call: ProgramCall) {
  const { exchange, affiliates, account: operator, nowMs } = call
  return affiliates.withCode().flatMap((affiliate) => {
    const profile = exchange.accounts.get(affiliate.accountId)?.profile
    if (profile?.brokerId !== operator.profile.brokerId) return []
    return {
      account_id: profile.accountId,
      user_address: profile.address,
      referral_code: affiliate.code,
      ...maxRates(affiliate),
      ...refereeRates(affiliate),
      ...statistics(referralReach(call, profile.accountId, nowMs, null)),
    }
  })
}
