import { tradingContext } from '../exchange/trading-context.ts'
import { parseFields } from '../messages/body.ts'
import {
  daysIn,
  queriedPage,
  queryChoice,
  queryText,
  requiredQuery,
  utcDateText,
} from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { publicReadRows, type VenueRow } from '../messages/row.ts'
import { wireUsdc } from '../messages/values.ts'
import {
  bindCode,
  claimCode,
  createCode,
  PROGRAM,
  renameCode,
  shareDefault,
  shareRate,
  updateRates,
} from '../programs/affiliates/program.ts'
import {
  accountVolume,
  callerEntry,
  distributionHistory,
  type Program,
  rebateSummary,
  rebatesFrom,
  refereeHistory,
  referralHistory,
  referralReach,
} from '../programs/affiliates/rebates.ts'
import {
  affiliateRows,
  maxRates,
  rebateInfo,
  refereeList,
  refereeRates,
  refereeRows,
  referralInfo,
  statistics,
} from '../programs/affiliates/shapes.ts'
import type { SignedAnswer, SignedCall, SignedTable } from './signed/call.ts'

/** The affiliate program's endpoints that need no account. */
export function referralRows({ affiliates }: Pick<Program, 'affiliates'>): readonly VenueRow[] {
  return publicReadRows({
    '/v1/public/referral/verify_ref_code': ({ query }) => ({
      exist: String(affiliates.byCode(requiredQuery(query, 'referral_code')) !== null),
    }),
    '/v1/public/referral/check_ref_code': ({ query }) => {
      const { joined } = affiliates.of(requiredQuery(query, 'account_id').toLowerCase())
      return { referral_code: (joined && affiliates.of(joined.accountId).code) ?? '' }
    },
  })
}

/** The affiliate program's endpoints for accounts: codes, referrals, and the operator's part. */
export const REFERRAL: SignedTable = {
  read: {
    'GET /v1/referral/info': referralInfo,
    'GET /v1/referral/referee_info': (call) => queriedPage(refereeRows(call), call.query),
    'GET /v1/referral/multi_level/statistics': (call) =>
      statistics(referralReach(call, call.accountId, call.nowMs, queryDays(call.query))),
    'GET /v1/referral/multi_level/referee_list': (call) =>
      queriedPage(refereeList(call), call.query),
    'GET /v1/referral/multi_level/rebate_info': (call) =>
      rebateInfo(callerEntry(call), referralReach(call, call.accountId, call.nowMs, null)),
    'GET /v1/referral/multi_level/max_rebate_rate': (call) => maxRates(callerEntry(call)),
    'GET /v1/referral/multi_level/volume_prerequisite': ({ exchange, accountId, nowMs }) => ({
      required_volume: wireUsdc(PROGRAM.requiredVolume),
      current_volume: wireUsdc(accountVolume(exchange, accountId, nowMs, null)),
    }),
    'GET /v1/referral/rebate_summary': (call) => queriedPage(rebateSummary(call), call.query),
    'GET /v1/referral/referral_history': (call) => queriedPage(referralHistory(call), call.query),
    'GET /v1/referral/referee_history': (call) => queriedPage(refereeHistory(call), call.query),
    'GET /v1/referral/referee_rebate_summary': (call) => ({
      rows: refereeHistory(call, true).map(({ volume: _, ...row }) => row),
    }),
    'GET /v1/client/distribution_history': distributionHistory,
    'GET /v1/referral/multi_level/admin/info': asOperator((call) =>
      queriedPage(chosen(affiliateRows(call), call.query), call.query),
    ),
  },
  trading: {
    'POST /v1/referral/bind': bindCode,
    'POST /v1/referral/edit_referral_code': renameCode,
    'POST /v1/referral/multi_level/rebate_rate/update': shareRate,
    'POST /v1/referral/multi_level/rebate_rate/set_default': shareDefault,
    'POST /v1/referral/multi_level/claim_code': (call) => {
      const claimed = claimCode(call, call.body === '' ? {} : parseFields(call.body), call.random)
      return { referral_code: claimed.code, ...refereeRates(claimed) }
    },
    'POST /v1/referral/multi_level/admin/create/affiliate': asOperator(createCode),
    'POST /v1/referral/multi_level/admin/update/affiliate': asOperator(updateRates),
  },
}

/** An answer that only the program's operator gets. Throws -1002 for any other account. */
function asOperator(answer: SignedAnswer): SignedAnswer {
  return (call) => {
    if (!call.isOperator(call.accountId)) throw refusal('unauthorized')
    return answer(call)
  }
}

const RANGES = { '1d': 1, '7d': 7, '30d': 30, all_time: null } as const

function queryDays(query: URLSearchParams): number | null {
  return RANGES[queryChoice(query, 'time_range', ['1d', '7d', '30d', 'all_time'])]
}

type AffiliateRow = ReturnType<typeof affiliateRows>[number]

function chosen(rows: readonly AffiliateRow[], query: URLSearchParams): AffiliateRow[] {
  const accountId = queryText(query, 'account_id')?.toLowerCase() ?? null
  const address = queryText(query, 'user_address')?.toLowerCase() ?? null
  if (accountId !== null && address !== null)
    throw refusal('parameter', 'Only one of user_address and account_id can be provided')
  return rows.filter(
    (row) =>
      (accountId === null || row.account_id === accountId) &&
      (address === null || row.user_address === address),
  )
}

const DAYS_MAX = 180

/** The daily revenue of a broker, for its operator. */
export const REVENUE: SignedTable = {
  read: { 'GET /v1/broker/daily_fee_revenue': (call) => ({ rows: brokerRevenue(call) }) },
}

/** Fees of the broker's accounts minus rebates, newest day first. Throws -1002 unless the caller is the operator. */
function brokerRevenue(call: SignedCall) {
  if (!call.isOperator(call.accountId)) throw refusal('unauthorized')
  const { exchange, account, query } = call
  const { profile } = account
  const asked = daysIn(query, true)
  if (asked.first > asked.last || asked.last - asked.first > DAYS_MAX)
    throw refusal('parameter', 'date range is invalid')
  const fees = new Map<number, number>()
  const add = (day: number, amount: number) => fees.set(day, (fees.get(day) ?? 0) + amount)
  for (const { profile: own } of exchange.accounts.values()) {
    if (own.brokerId !== profile.brokerId) continue
    const paid = tradingContext(exchange, own.accountId).account.days
    for (const row of paid.filter(asked.has)) add(row.day, row.fees)
    const rebates = rebatesFrom(exchange, own.accountId).flatMap(({ days }) => days)
    for (const row of rebates.filter(asked.has)) add(row.day, -row.amount)
  }
  const newestFirst = [...fees].sort(([a], [b]) => b - a)
  return newestFirst.map(([day, paid]) => ({
    date: utcDateText(day),
    permissionless_listing_fee_share: 0,
    distributor_fee_share: 0,
    builder_fee_revenue: wireUsdc(paid),
    cross_broker_fee: 0,
    total_revenue: wireUsdc(paid),
  }))
}
