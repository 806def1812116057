import type { Random } from '../../core/ports.ts'
import {
  distributionHistory,
  rebateSummary,
  refereeHistory,
  referralHistory,
} from '../affiliates/histories.ts'
import {
  bindCode,
  claimCode,
  createCode,
  PROGRAM,
  renameCode,
  shareDefault,
  shareRate,
  updateRates,
} from '../affiliates/program.ts'
import { reachOf, volumeOf } from '../affiliates/rebates.ts'
import {
  affiliateRows,
  maxRates,
  type Program,
  rebateInfo,
  refereeList,
  refereeRates,
  refereeRows,
  referralInfo,
  statistics,
} from '../affiliates/shapes.ts'
import type { Account } from '../exchange/state.ts'
import { parseBody } from '../wire/body.ts'
import { micro } from '../wire/number.ts'
import { pageOf, queryText, requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import { publicRead, type VenueRow } from '../wire/row.ts'
import { type AccountAnswer, privateRow } from './private.ts'

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
  return [
    publicRead('/v1/public/referral/verify_ref_code', ({ query }) => ({
      exist: String(affiliates.byCode(requiredQuery(query, 'referral_code')) !== null),
    })),
    publicRead('/v1/public/referral/check_ref_code', ({ query }) => {
      const { joined } = affiliates.of(requiredQuery(query, 'account_id').toLowerCase())
      return { referral_code: (joined && affiliates.of(joined.accountId).code) ?? '' }
    }),
  ]
}

function ownReads(parts: ReferralParts): readonly VenueRow[] {
  const { affiliates } = parts
  const of = ({ profile }: Account) => affiliates.of(profile.accountId)
  const read = (path: string, answer: AccountAnswer) =>
    privateRow(
      parts.exchange,
      { method: 'GET', path: `/v1/referral/${path}`, scope: 'read' },
      answer,
    )
  return [
    read('info', (account, { nowMs }) => referralInfo(parts, account, nowMs)),
    read('referee_info', (account, { query }) => pageOf(refereeRows(parts, of(account)), query)),
    read('multi_level/statistics', ({ profile }, { query, nowMs }) =>
      statistics(reachOf(parts, profile.accountId, nowMs, daysOf(query))),
    ),
    read('multi_level/referee_list', (account, { query, nowMs }) =>
      pageOf(refereeList(parts, of(account), nowMs), query),
    ),
    read('multi_level/rebate_info', (account, { nowMs }) =>
      rebateInfo(of(account), reachOf(parts, account.profile.accountId, nowMs, null)),
    ),
    read('multi_level/max_rebate_rate', (account) => maxRates(of(account))),
    read('multi_level/volume_prerequisite', ({ profile }, { nowMs }) => ({
      required_volume: micro(BigInt(PROGRAM.requiredVolume)),
      current_volume: micro(volumeOf(parts.exchange, profile.accountId, nowMs, null)),
    })),
    read('rebate_summary', (account, { query }) =>
      pageOf(rebateSummary(parts, account, query), query),
    ),
    read('referral_history', (account, { query }) =>
      pageOf(referralHistory(parts, account, query), query),
    ),
    read('referee_history', (account, { query }) =>
      pageOf(refereeHistory(parts, account, query), query),
    ),
    read('referee_rebate_summary', (account, { query }) => ({
      rows: refereeHistory(parts, account, query, true).map(({ volume: _, ...row }) => row),
    })),
    privateRow(
      parts.exchange,
      { method: 'GET', path: '/v1/client/distribution_history', scope: 'read' },
      (account, call) => distributionHistory(parts.exchange, account, call),
    ),
  ]
}

function ownWrites(parts: ReferralParts): readonly VenueRow[] {
  const { affiliates, exchange, random } = parts
  const write = (path: string, answer: AccountAnswer) =>
    privateRow(exchange, { method: 'POST', path: `/v1/referral/${path}`, scope: 'trading' }, answer)
  return [
    write('bind', (account, { body, nowMs }) =>
      bindCode(exchange, affiliates, account, parseBody(body), nowMs),
    ),
    write('edit_referral_code', (account, { body }) =>
      renameCode(affiliates, account, parseBody(body)),
    ),
    write('multi_level/rebate_rate/update', (account, { body }) =>
      shareRate(affiliates, account, parseBody(body)),
    ),
    write('multi_level/rebate_rate/set_default', (account, { body }) =>
      shareDefault(affiliates, account, parseBody(body)),
    ),
    write('multi_level/claim_code', (account, { body }) => {
      const claimed = claimCode(
        exchange,
        affiliates,
        account,
        body === '' ? {} : parseBody(body),
        random,
      )
      return { referral_code: claimed.code, ...refereeRates(claimed) }
    }),
  ]
}

function operatorRows(parts: ReferralParts): readonly VenueRow[] {
  const { affiliates, exchange } = parts
  const row = (method: 'GET' | 'POST', path: string, answer: AccountAnswer) =>
    privateRow(
      exchange,
      {
        method,
        path: `/v1/referral/multi_level/admin/${path}`,
        scope: method === 'GET' ? 'read' : 'trading',
      },
      (operator, call) => {
        if (!parts.isOperator(call.accountId)) throw refusal('unauthorized')
        return answer(operator, call)
      },
    )
  return [
    row('GET', 'info', (operator, { query, nowMs }) =>
      pageOf(chosen(affiliateRows(parts, operator, nowMs), query), query),
    ),
    row('POST', 'create/affiliate', (operator, { body }) =>
      createCode(exchange, affiliates, operator, parseBody(body)),
    ),
    row('POST', 'update/affiliate', (operator, { body }) =>
      updateRates(exchange, affiliates, operator, parseBody(body)),
    ),
  ]
}

const RANGES: Readonly<Record<string, number | null>> = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  all_time: null,
}

function daysOf(query: URLSearchParams): number | null {
  const range = requiredQuery(query, 'time_range')
  const days = Object.hasOwn(RANGES, range) ? RANGES[range] : undefined
  if (days === undefined) throw refusal('parameter', 'time_range is invalid')
  return days
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
