import { LIMITS } from '../contract/limits.ts'
import { parseDecimal } from '../core/decimals.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import { isHash } from '../core/hex.ts'
import { COLLATERALS } from '../simulator/listing/chains.ts'
import type { VenueCalls } from '../simulator/service.ts'
import { failureResponse } from './server/responses.ts'

const ACCOUNTS_ROOT = '/venue/accounts'

/** The venue calls about practice accounts that the operator can make. */
export type PracticePort = Pick<VenueCalls, 'listAccounts' | 'showAccount' | 'fundAccount'>

/** Whether a path of the operator's listener is about practice accounts. */
export function isPracticePath(path: string): boolean {
  return path === ACCOUNTS_ROOT || path.startsWith(`${ACCOUNTS_ROOT}/`)
}

/**
 * Accounts of the embedded venue on the operator's listener: `GET /venue/accounts`, `GET /venue/accounts/ID`, and `POST
 * /venue/accounts/ID/fund?usdc=100` or `?token=ETH&amount=2`. A live venue answers not_found. Refuses requests from web
 * pages.
 */
export async function answerPractice(
  accounts: PracticePort | null,
  request: Request,
  path: string,
  search: string,
): Promise<Response> {
  try {
    if (!accounts || request.headers.has('origin')) throw new Failure('not_found')
    const query = new URLSearchParams(search)
    return Response.json(await performPractice(accounts, request.method, path, query), {
      headers: { 'cache-control': 'no-store' },
    })
  } catch (error) {
    return failureResponse(error)
  }
}

/**
 * Adds a next step to a failure about credentials: how to open an account of the embedded venue. The failure stays
 * unchanged if the account exists or if it already names a step.
 */
export function withPracticeStep(failure: Failure): Failure {
  const { reason, next: own } = failure.meta ?? {}
  if (failure.code !== 'unauthorized' || reason === 'scope' || own !== undefined) return failure
  const next = reason === 'key_expired' ? EXPIRED_STEP : PRACTICE_STEP
  return new Failure('unauthorized', { ...failure.meta, next }, { cause: failure })
}

const PRACTICE_STEP =
  'This is a practice venue: `prepd --mode admin account create` opens an account with a key.'
const EXPIRED_STEP =
  'The trading key has expired by the clock of this practice venue, which commands can move. Bind a new key, or open an account with one: `prepd --mode admin account create`.'
const USDC = 'USDC'
const USDC_DECIMALS = 6
const TOKEN_DECIMALS = 8

async function performPractice(
  accounts: PracticePort,
  method: string,
  path: string,
  query: URLSearchParams,
): Promise<object> {
  if (path === ACCOUNTS_ROOT) {
    assertMethod(method, 'GET')
    return { rows: await accounts.listAccounts(LIMITS.practiceRowsMax) }
  }
  const [accountId = '', act, ...rest] = path.slice(ACCOUNTS_ROOT.length + 1).split('/')
  if (!isHash(accountId) || rest.length > 0 || (act !== undefined && act !== 'fund'))
    throw new Failure('not_found')
  assertMethod(method, act === 'fund' ? 'POST' : 'GET')
  const account = await (act === 'fund'
    ? fundByQuery(accounts, accountId, query)
    : accounts.showAccount(accountId))
  if (!account) throw new Failure('not_found')
  return account
}

function assertMethod(method: string, allow: 'GET' | 'POST'): void {
  if (method !== allow) throw new Failure('method_not_allowed', { allow })
}

/** Funds an account as the query says: `usdc=100`, or `token=ETH&amount=2` for another token that accounts can hold. */
async function fundByQuery(accounts: PracticePort, accountId: string, query: URLSearchParams) {
  const token = query.get('token')
  if (token === null || token === USDC)
    return accounts.fundAccount(
      accountId,
      parseAmount(query, token === null ? 'usdc' : 'amount', USDC_DECIMALS),
    )
  if (!COLLATERALS.some((each) => each.token === token)) throw invalidParameter('token')
  return accounts.fundAccount(accountId, parseAmount(query, 'amount', TOKEN_DECIMALS), token)
}

function parseAmount(query: URLSearchParams, name: string, decimals: number): bigint {
  const text = query.get(name)
  const amount = text && /^[\d.]{1,24}$/.test(text) ? parseDecimal(text, decimals) : null
  const max = BigInt(LIMITS.practiceFundMaxUsdc) * 10n ** BigInt(decimals)
  if (amount === null || amount <= 0n || amount > max) throw invalidParameter(name, 'out_of_range')
  return amount
}
