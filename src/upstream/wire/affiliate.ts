import { isObject, type Row, toFloat } from '../../core/json.ts'

/** The affiliate program in the venue's own names. Source: its multi-level referral wire. */

const PROGRAM = '/v1/referral/multi_level/admin'

export const AFFILIATE_PATHS = {
  create: `${PROGRAM}/create/affiliate`,
  update: `${PROGRAM}/update/affiliate`,
} as const

/** The path of an account's row in the program, signed by the operator. Accounts without a code have no row. */
export function affiliatePath(accountId: string): string {
  return `${PROGRAM}/info?account_id=${accountId}`
}

/** The public path that returns whether a code is taken. */
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

/** Whether a code exists; undefined if the payload lacks it. */
export function codeExists(payload: unknown): boolean | undefined {
  const exist = isObject(payload) ? String(payload['exist']) : ''
  return exist === 'true' ? true : exist === 'false' ? false : undefined
}

/** An account that has a code. `rate` is null when the venue does not report it. */
export type Affiliate = { readonly code: string; readonly rate: number | null }

/** The account's row in the program's list; null without a row or a code. */
export function findAffiliate(payload: unknown, accountId: string): Affiliate | null {
  for (const row of payloadRows(payload)) {
    const code = row['referral_code']
    const owner = row['account_id']
    const isOwn = owner === undefined || String(owner).toLowerCase() === accountId
    if (isOwn && typeof code === 'string' && code !== '') return { code, rate: programRate(row) }
  }
  return null
}

/** Current and earlier names of the rate; a row may have several. */
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

/** The nonzero rate under any of its names: an existing rate must not be overwritten. */
function programRate(row: Row): number | null {
  const rates = RATE_NAMES.flatMap((name) => {
    const value = row[name]
    const rate = typeof value === 'string' && value !== '' ? Number(value) : toFloat(value)
    return rate === undefined || Number.isNaN(rate) ? [] : [rate]
  })
  return rates.find((rate) => rate !== 0) ?? rates[0] ?? null
}
