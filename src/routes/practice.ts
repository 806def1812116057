import { parseDecimal } from '../core/decimals.ts'
import { Failure, invalid } from '../core/failure.ts'
import { isHash } from '../core/hex.ts'
import { LIMITS } from '../spec/limits.ts'
import type { PracticeDesk } from '../venue/accounts/practice.ts'
import { failureResponse } from './http/responses.ts'

const ROOT = '/venue/accounts'

/** Whether a path of the operator's listener is one of these. */
export function isPracticePath(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`)
}

/**
 * The accounts of the embedded venue, on the operator's listener: `GET /venue/accounts`, `GET /venue/accounts/ID`, and
 * `POST /venue/accounts/ID/fund?usdc=100`. Nothing is here on a live venue, nor for a page in a browser.
 */
export function answerPractice(
  desk: PracticeDesk | null,
  request: Request,
  path: string,
  search: string,
): Response {
  try {
    if (!desk || request.headers.has('origin')) throw new Failure('not_found')
    return Response.json(contentOf(desk, request.method, path, new URLSearchParams(search)), {
      headers: { 'cache-control': 'no-store' },
    })
  } catch (error) {
    return failureResponse(error)
  }
}

/** Refused credentials say how an account of an embedded venue is opened. */
export function withPracticeStep(failure: Failure): Failure {
  if (failure.code !== 'unauthorized') return failure
  return new Failure('unauthorized', { ...failure.meta, next: PRACTICE_STEP }, { cause: failure })
}

const PRACTICE_STEP =
  'This is a practice venue: `prepd --mode admin account create` opens an account with a key.'
const USDC_DECIMALS = 6
const FUND_MAX_MICROS = BigInt(LIMITS.practiceFundMaxUsdc) * 10n ** BigInt(USDC_DECIMALS)

function contentOf(
  desk: PracticeDesk,
  method: string,
  path: string,
  query: URLSearchParams,
): object {
  if (path === ROOT) {
    assertMethod(method, 'GET')
    return { rows: desk.list(LIMITS.practiceRowsMax) }
  }
  const [accountId = '', act, ...rest] = path.slice(ROOT.length + 1).split('/')
  if (!isHash(accountId) || rest.length > 0 || (act !== undefined && act !== 'fund'))
    throw new Failure('not_found')
  assertMethod(method, act === 'fund' ? 'POST' : 'GET')
  const account =
    act === 'fund' ? desk.fund(accountId, microsOf(query.get('usdc'))) : desk.show(accountId)
  if (!account) throw new Failure('not_found')
  return account
}

function assertMethod(method: string, allow: 'GET' | 'POST'): void {
  if (method !== allow) throw new Failure('method_not_allowed', { allow })
}

function microsOf(text: string | null): bigint {
  const micros = text && /^[\d.]{1,24}$/.test(text) ? parseDecimal(text, USDC_DECIMALS) : null
  if (micros === null || micros <= 0n || micros > FUND_MAX_MICROS)
    throw invalid('usdc', 'out_of_range')
  return micros
}
