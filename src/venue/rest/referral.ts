import type { Random } from '../../core/ports.ts'
import { type SignedCall, signedRows } from '../accounts/signed-call.ts'
import type { Registration } from '../exchange/state.ts'
import { parseBody } from '../messages/body.ts'
import { choiceOf, pageOf, queryText, requiredQuery } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { publicReads, type VenueRow } from '../messages/row.ts'
import { micro } from '../messages/values.ts'
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
  distributionHistory,
  type Program,
  reachOf,
  rebateSummary,
  refereeHistory,
  referralHistory,
  volumeOf,
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

export type ReferralParts = Program & {
  readonly random: Random
  /** Whether an account runs the program for its broker. */
  readonly isOperator: (accountId: string) => boolean
}

/** The paths of the affiliate program: codes, an account's referrals, and the operator's part. */
export function referralRows(parts: ReferralParts): readonly VenueRow[] {
  return [...publicRows(parts), ...ownReads(parts), ...ownWrites(parts), ...operatorRows(parts)]
}

function publicRows({ affiliates }: Program): readonly VenueRow[] {
  return publicReads({
    '/v1/public/referral/verify_ref_code': ({ query }) => ({
      exist: String(affiliates.byCode(requiredQuery(query, 'referral_code')) !== null),
    }),
    '/v1/public/referral/check_ref_code': ({ query }) => {
      const { joined } = affiliates.of(requiredQuery(query, 'account_id').toLowerCase())
      return { referral_code: (joined && affiliates.of(joined.accountId).code) ?? '' }
    },
  })
}

function ownReads(parts: ReferralParts): readonly VenueRow[] {
  const { affiliates, exchange } = parts
  const of = ({ profile }: Registration) => affiliates.of(profile.accountId)
  return signedRows(exchange, 'read', {
    'GET /v1/referral/info': ({ account, nowMs }) => referralInfo(parts, account, nowMs),
    'GET /v1/referral/referee_info': ({ account, query }) =>
      pageOf(refereeRows(parts, of(account)), query),
    'GET /v1/referral/multi_level/statistics': ({ accountId, query, nowMs }) =>
      statistics(reachOf(parts, accountId, nowMs, daysOf(query))),
    'GET /v1/referral/multi_level/referee_list': ({ account, query, nowMs }) =>
      pageOf(refereeList(parts, of(account), nowMs), query),
    'GET /v1/referral/multi_level/rebate_info': ({ account, accountId, nowMs }) =>
      rebateInfo(of(account), reachOf(parts, accountId, nowMs, null)),
    'GET /v1/referral/multi_level/max_rebate_rate': ({ account }) => maxRates(of(account)),
    'GET /v1/referral/multi_level/volume_prerequisite': ({ accountId, nowMs }) => ({
      required_volume: micro(BigInt(PROGRAM.requiredVolume)),
      current_volume: micro(BigInt(volumeOf(exchange, accountId, nowMs, null))),
    }),
    'GET /v1/referral/rebate_summary': (call) =>
      pageOf(rebateSummary(parts, call.account, call), call.query),
    'GET /v1/referral/referral_history': (call) =>
      pageOf(referralHistory(parts, call.account, call), call.query),
    'GET /v1/referral/referee_history': (call) =>
      pageOf(refereeHistory(parts, call.account, call), call.query),
    'GET /v1/referral/referee_rebate_summary': (call) => ({
      rows: refereeHistory(parts, call.account, call, true).map(({ volume: _, ...row }) => row),
    }),
    'GET /v1/client/distribution_history': (call) =>
      distributionHistory(exchange, call.account, call),
  })
}

function ownWrites(parts: ReferralParts): readonly VenueRow[] {
  return signedRows(parts.exchange, 'trading', {
    'POST /v1/referral/bind': ({ account, fields, nowMs }) =>
      bindCode(parts, account, fields, nowMs),
    'POST /v1/referral/edit_referral_code': ({ account, fields }) =>
      renameCode(parts, account, fields),
    'POST /v1/referral/multi_level/rebate_rate/update': ({ account, fields }) =>
      shareRate(parts, account, fields),
    'POST /v1/referral/multi_level/rebate_rate/set_default': ({ account, fields }) =>
      shareDefault(parts, account, fields),
    'POST /v1/referral/multi_level/claim_code': ({ account, body }) => {
      const fields = body === '' ? {} : parseBody(body)
      const claimed = claimCode(parts, account, fields, parts.random)
      return { referral_code: claimed.code, ...refereeRates(claimed) }
    },
  })
}

function operatorRows(parts: ReferralParts): readonly VenueRow[] {
  const { exchange } = parts
  const operator = ({ accountId, account }: SignedCall) => {
    if (!parts.isOperator(accountId)) throw refusal('unauthorized')
    return account
  }
  return [
    ...signedRows(exchange, 'read', {
      'GET /v1/referral/multi_level/admin/info': (call) =>
        pageOf(chosen(affiliateRows(parts, operator(call), call.nowMs), call.query), call.query),
    }),
    ...signedRows(exchange, 'trading', {
      'POST /v1/referral/multi_level/admin/create/affiliate': (call) =>
        createCode(parts, operator(call), call.fields),
      'POST /v1/referral/multi_level/admin/update/affiliate': (call) =>
        updateRates(parts, operator(call), call.fields),
    }),
  ]
}

const RANGES = { '1d': 1, '7d': 7, '30d': 30, all_time: null } as const

function daysOf(query: URLSearchParams): number | null {
  return RANGES[choiceOf(query, 'time_range', ['1d', '7d', '30d', 'all_time'])]
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
