import { isObject, type Row, toFloat } from '../../core/json.ts'

/** The venue's own names in its affiliate program. Source: its multi-level referral API. */

const PROGRAM = '/v1/referral/multi_level/admin'

export const AFFILIATE_PATHS = {
  create: `${PROGRAM}/create/affiliate`,
  update: `${PROGRAM}/update/affiliate`,
} as const

/** The path of an account's row in the program; the operator signs the call. An account without a code has no row. */
export function affiliatePath(accountId: string): string {
  return `${PROGRAM}/info?account_id=${accountId}`
}

/** The public path whose answer says whether a code is taken. */
export function codePath(code: string): string {
  return `/v1/public/referral/verify_ref_code?referral_code=${code}`
}

/** The body that gives a first-level affiliate its code and its rate. */
export function creationBody(accountId: string, code: string, rate: number): string {
  return JSON.stringify({ account_id: accountId, referral_code: code, bonus_max_rebate_rate: rate })
}

/** The body that sets the rate of a first-level affiliate. */
export function updateBody(accountId: string, rate: number): string {
  return JSON.stringify({ bonus_rebate_rate: rate, account_ids: [accountId] })
}

/** Whether a code exists; undefined if the payload does not say. */
export function codeExists(payload: unknown): boolean | undefined {
  const exist = isObject(payload) ? String(payload['exist']) : ''
  return exist === 'true' ? true : exist === 'false' ? false : undefined
}

/** An account that has a code. `rate` is null when the venue does not report it. */
export type Affiliate = { readonly code: string; readonly rate: number | null }

/** The row of an account in the program's list; null if the row or its code is missing. */
export function findAffiliate(payload: unknown, accountId: string): Affiliate | null {
  for (const row of payloadRows(payload)) {
    const code = row['referral_code']
    const owner = row['account_id']
    const isOwn = owner === undefined || String(owner).toLowerCase() === accountId
    if (isOwn && typeof code === 'string' && code !== '') return { code, rate: programRate(row) }
  }
  return null
}

/** The venue's current and earlier names for the rate. A row may use several names. */
const RATE_NAMES = [
  'bonus_max_rebate_rate',
  'max_rebate_rate',
  'bonus_rebate_rate',
  'rebate_rate',
] as const

function payloadRows(payload: unknown): Row[] {
  if (!isObject(payload)) return []
  const { rows = [payload] } = payload
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/**
 * The first nonzero rate under a name of `RATE_NAMES`, because a set rate must not be overwritten; otherwise 0 or null.
 */
function programRate(row: Row): number | null {
  const rates = RATE_NAMES.flatMap((name) => {
    const value = row[name]
    const rate = typeof value === 'string' && value !== '' ? Number(value) : toFloat(value)
    return rate === undefined || Number.isNaN(rate) ? [] : [rate]
  })
  return rates.find((rate) => rate !== 0) ?? rates[0] ?? null
}
