import type { Random } from '../../../core/ports.ts'
import { DECIMAL_ONE } from '../../base/decimals.ts'
import type { Registration, VenueState } from '../../exchange/state.ts'
import { tradingContext } from '../../exchange/trading-context.ts'
import { decimalField, type Fields, requiredText } from '../../messages/body.ts'
import { refusal } from '../../messages/refusals.ts'
import type { AffiliateEntry, Affiliates } from './affiliates.ts'
import { callerEntry, type ProgramCall } from './rebates.ts'

/** Rules of the program: the volume in micro-USDC that a code requires, and the maximum size of an update. */
export const PROGRAM = {
  requiredVolume: 10_000_000_000,
  updatedAccountsMax: 100,
} as const

const CODE = /^[A-Z0-9]{4,15}$/
const ISSUED_CODE_CHARS = 8

/** A call of an account to change the program. */
type Change = ProgramCall & { readonly fields: Fields }

/** Makes an account a first-level affiliate and changes nothing else. */
export function promote(
  { accounts }: VenueState,
  affiliates: Affiliates,
  accountId: string,
): 'promoted' | 'already' | 'no_account' {
  if (!accounts.has(accountId)) return 'no_account'
  const affiliate = affiliates.of(accountId)
  if (affiliate.promoted) return 'already'
  affiliates.put({ ...affiliate, promoted: true })
  return 'promoted'
}

/**
 * POST admin/create/affiliate: the operator gives one of its accounts a code and a rate. Throws
 * - -1607 if the account does not belong to this operator,
 * - -1005 if the account is below the first level, or if the code or rate is malformed,
 * - -1007 if the account already has a code, or if another account has this code.
 */
export function createCode({ exchange, affiliates, account: operator, fields }: Change): undefined {
  const affiliate = affiliates.of(accountOfOperator(exchange, operator, fields['account_id']))
  const code = codeField(fields, 'referral_code')
  const maxRate = rateField(fields, 'bonus_max_rebate_rate', 'max_rebate_rate')
  if (!affiliate.promoted)
    throw refusal('parameter', 'bonus_max_rebate_rate is for first-level affiliates only')
  if (maxRate === undefined) throw refusal('parameter', 'bonus_max_rebate_rate is required')
  assertCodeless(affiliate)
  assertFree(affiliates, code)
  affiliates.put({ ...affiliate, code, maxRate })
}

/**
 * POST admin/update/affiliate: the operator sets the rate of several accounts, all or nothing. Throws
 * - -1607 if an account does not belong to this operator,
 * - -1005 if an account is below the first level or has no code, or if the list or rate is malformed.
 */
export function updateRates({
  exchange,
  affiliates,
  account: operator,
  fields,
}: Change): undefined {
  const maxRate = rateField(fields, 'bonus_rebate_rate', 'rebate_rate')
  if (maxRate === undefined) throw refusal('parameter', 'bonus_rebate_rate is required')
  const updated = idsField(fields).map((id) => {
    const affiliate = affiliates.of(accountOfOperator(exchange, operator, id))
    if (!affiliate.promoted || affiliate.code === null)
      throw refusal('parameter', 'Only first-level affiliates can be updated')
    return { ...affiliate, maxRate }
  })
  affiliates.put(...updated)
}

/**
 * POST claim_code: gives an account the requested code, or a code that the venue chooses. A first-level account gets
 * its code at once, any other account after it has traded. The rate is 0 until the operator sets it. Throws
 * - -1007 if the account has a code,
 * - -1012 if the account has not traded enough,
 * - -1005 if the referees' rate exceeds the account's rate.
 */
export function claimCode(call: ProgramCall, fields: Fields, random: Random): AffiliateEntry {
  const { exchange, affiliates } = call
  const affiliate = callerEntry(call)
  assertCodeless(affiliate)
  const refereeRate = rateField(fields, 'bonus_referee_rebate_rate', 'referee_rebate_rate') ?? 0n
  if (refereeRate > affiliate.maxRate)
    throw refusal('parameter', 'bonus_referee_rebate_rate is above the maximum')
  if (
    !affiliate.promoted &&
    tradingContext(exchange, affiliate.accountId).account.volume < PROGRAM.requiredVolume
  )
    throw refusal('rejected', 'The required trading volume has not been reached')
  const isAsked = (fields['referral_code'] ?? null) !== null
  const asked = isAsked ? codeField(fields, 'referral_code') : null
  if (asked !== null) assertFree(affiliates, asked)
  const claimed = { ...affiliate, code: asked ?? issuedCode(affiliates, random), refereeRate }
  affiliates.put(claimed)
  return claimed
}

/**
 * POST rebate_rate/update: sets the rebate rate of all or some referred accounts. Throws -1005 if the rate exceeds the
 * account's own, -1607 for an account that did not join with its code.
 */
export function shareRate(call: Change): undefined {
  const { affiliates, fields } = call
  const affiliate = callerEntry(call)
  const refereeRate = rateField(fields, 'bonus_referee_rebate_rate', 'referee_rebate_rate')
  if (refereeRate === undefined || refereeRate > affiliate.maxRate)
    throw refusal('parameter', 'bonus_referee_rebate_rate is missing or above the maximum')
  const isForAll = (fields['account_ids'] ?? null) === null
  const referees = isForAll ? [] : refereesIn(call)
  if (isForAll) affiliates.put({ ...affiliate, refereeRate })
  else affiliates.put(...referees.map((referee) => ({ ...referee, givenRate: refereeRate })))
}

/**
 * POST rebate_rate/set_default: removes the rates that were set for single referees. Throws -1005 for a malformed list
 * of accounts, -1607 for an account that did not join with the caller's code.
 */
export function shareDefault(call: Change): undefined {
  call.affiliates.put(...refereesIn(call).map(({ givenRate: _, ...referee }) => referee))
}

/**
 * POST edit_referral_code: renames a code that no account has joined with. Throws
 * - -1006 if the caller does not have the current code,
 * - -1005 if a code is missing or the new code is malformed,
 * - -1007 if another account has the new code,
 * - -1012 if an account has joined with the current code.
 */
export function renameCode(call: Change): undefined {
  const { affiliates, fields } = call
  const affiliate = callerEntry(call)
  if (affiliate.code === null || requiredText(fields, 'current_referral_code') !== affiliate.code)
    throw refusal('notFound', 'The referral code is not found')
  const code = codeField(fields, 'new_referral_code')
  if (affiliates.refereesOf(affiliate.accountId).length > 0)
    throw refusal('rejected', 'Somebody has joined with this referral code')
  assertFree(affiliates, code)
  affiliates.put({ ...affiliate, code })
}

/**
 * POST bind: joins with another account's code permanently. An account can join until its first trade. A deposit does
 * not end this time, because the faucet already pays a deposit at registration. Throws
 * - -1006 for an unknown code,
 * - -1007 if the account has already joined,
 * - -1012 after the account's first trade,
 * - -1005 for a code of the account or of an account that joined with its code.
 */
export function bindCode(call: Change): undefined {
  const { exchange, affiliates, fields, nowMs } = call
  const { profile } = call.account
  const affiliate = callerEntry(call)
  if (affiliate.joined) throw refusal('duplicate', 'The account is bound to a referral code')
  const referrer = affiliates.byCode(requiredText(fields, 'referral_code'))
  const brokerId = referrer && exchange.accounts.get(referrer.accountId)?.profile.brokerId
  if (!referrer || brokerId !== profile.brokerId)
    throw refusal('notFound', 'The referral code is not found')
  if (isAtOrBelow(affiliates, referrer, profile.accountId))
    throw refusal('parameter', 'referral_code is your own or of somebody you referred')
  if (tradingContext(exchange, profile.accountId).account.volume > 0)
    throw refusal('rejected', 'The account has traded already')
  affiliates.put({ ...affiliate, joined: { accountId: referrer.accountId, atMs: nowMs } })
}

/** The accounts in a body. Throws -1607 if an account did not join with the caller's code. */
function refereesIn({ affiliates, account, fields }: Change): AffiliateEntry[] {
  return idsField(fields).map((id) => {
    const referee = affiliates.of(typeof id === 'string' ? id.toLowerCase() : '')
    if (referee.joined?.accountId !== account.profile.accountId) throw refusal('noAccount')
    return referee
  })
}

function idsField({ account_ids: ids }: Fields): readonly unknown[] {
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > PROGRAM.updatedAccountsMax)
    throw refusal('parameter', 'account_ids is invalid')
  return ids
}

function accountOfOperator({ accounts }: VenueState, operator: Registration, id: unknown): string {
  const account = typeof id === 'string' ? accounts.get(id.toLowerCase()) : undefined
  if (account?.profile.brokerId !== operator.profile.brokerId) throw refusal('noAccount')
  return account.profile.accountId
}

function codeField(fields: Fields, name: string): string {
  const code = requiredText(fields, name)
  if (!CODE.test(code)) throw refusal('parameter', `${name} must be 4 to 15 letters and digits`)
  return code
}

/** A rate from 0 to 1, under its name or an alias. */
function rateField(fields: Fields, name: string, alias: string): bigint | undefined {
  const rate = decimalField(fields, name) ?? decimalField(fields, alias)
  if (rate !== undefined && (rate < 0n || rate > DECIMAL_ONE))
    throw refusal('parameter', `${name} must be between 0 and 1`)
  return rate
}

function assertCodeless({ code }: AffiliateEntry): void {
  if (code !== null) throw refusal('duplicate', 'The account has a referral code already')
}

function assertFree(affiliates: Affiliates, code: string): void {
  if (affiliates.byCode(code)) throw refusal('duplicate', 'The referral code is taken')
}

function issuedCode(affiliates: Affiliates, random: Random): string {
  for (;;) {
    const code = Array.from(random.bytes(ISSUED_CODE_CHARS), codeLetter).join('')
    if (!affiliates.byCode(code)) return code
  }
}

function codeLetter(byte: number): string {
  return String.fromCharCode(65 + (byte % 26))
}

/** Whether an affiliate is the account itself or one of its direct or indirect referrals. */
function isAtOrBelow(
  affiliates: Affiliates,
  { accountId, joined }: AffiliateEntry,
  id: string,
): boolean {
  return (
    accountId === id ||
    (joined !== null && isAtOrBelow(affiliates, affiliates.of(joined.accountId), id))
  )
}
