import { isObject, numberOf, type Row } from '../../core/json.ts'

/** The affiliate program in the venue's own names. Source: its multi-level referral wire. */

const PROGRAM = '/v1/referral/multi_level/admin'

export const AFFILIATE_PATHS = {
  create: `${PROGRAM}/create/affiliate`,
  update: `${PROGRAM}/update/affiliate`,
} as const

/** Where an account's row in the program is read; signed by the operator. Accounts without a code have no row. */
export function affiliatePath(accountId: string): string {
  return `${PROGRAM}/info?account_id=${accountId}`
}

/** Where it is read whether anybody holds a code; public. */
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

/** Whether a code exists; undefined when the payload does not say. */
export function codeExists(payload: unknown): boolean | undefined {
  const exist = isObject(payload) ? String(payload['exist']) : ''
  return exist === 'true' ? true : exist === 'false' ? false : undefined
}

/** An account that has a code. `rate` is null when the venue does not report it. */
export type Affiliate = { readonly code: string; readonly rate: number | null }

/** The account's own row of the program's list; null when it has none, or no code in it. */
export function affiliateOf(payload: unknown, accountId: string): Affiliate | null {
  for (const row of rowsOf(payload)) {
    const code = row['referral_code']
    const owner = row['account_id']
    const isOwn = owner === undefined || String(owner).toLowerCase() === accountId
    if (isOwn && typeof code === 'string' && code !== '') return { code, rate: rateOf(row) }
  }
  return null
}

/** One rate under its present names and the ones it had before; a row may carry several. */
const RATE_NAMES = [
  'bonus_max_rebate_rate',
  'max_rebate_rate',
  'bonus_rebate_rate',
  'rebate_rate',
] as const

function rowsOf(payload: unknown): Row[] {
  if (!isObject(payload)) return []
  const { rows = [payload] } = payload
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/** A rate under any name that is not zero counts: the one thing that must not happen is to overwrite it. */
function rateOf(row: Row): number | null {
  const rates = RATE_NAMES.flatMap((name) => {
    const value = row[name]
    const rate = typeof value === 'string' && value !== '' ? Number(value) : numberOf(value)
    return rate === undefined || Number.isNaN(rate) ? [] : [rate]
  })
  return rates.find((rate) => rate !== 0) ?? rates[0] ?? null
}
