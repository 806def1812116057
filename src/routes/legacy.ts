import { Elysia } from 'elysia'
import type { Refusal } from '../core/refusal.ts'
import { admit } from '../limits/admission.ts'
import { ROUTES } from '../spec/routes.ts'
import { VOUCHER_LIMITS, VoucherBody } from '../spec/voucher.ts'
import { toStatusRefusal } from '../swap/refusal.ts'
import { toVoucherRefusal } from '../voucher/refusal.ts'
import { readBody } from './http/body.ts'
import { failureResponse, methodNotAllowed, refusalResponse, toResponse } from './http/responses.ts'
import { queryOf, type RouteParts } from './verbs.ts'

/**
 * The two routes whose failures are `{error}` without a code, but for rate_limited. They answer their failures
 * themselves: what is thrown in them never reaches the hook that all other routes share.
 */
export const legacy = (parts: RouteParts) =>
  new Elysia({ name: 'routes.legacy' })
    .post(ROUTES.voucher.path, ({ request }) => voucherRoute(parts, request), { parse: 'none' })
    .all(ROUTES.voucher.path, () => refused(methodNotAllowed('POST'), toVoucherRefusal), {
      parse: 'none',
    })
    .get(ROUTES.swapStatus.path, ({ request }) => statusRoute(parts, request))
    .all(ROUTES.swapStatus.path, () => refused(methodNotAllowed('GET, HEAD'), toStatusRefusal), {
      parse: 'none',
    })

async function voucherRoute(
  { deps, vouchers, callers }: RouteParts,
  request: Request,
): Promise<Response> {
  try {
    admit(deps, ROUTES.voucher.policy, callers.of(request).limitKey)
    const body = await readBody(request, VoucherBody, VOUCHER_LIMITS.bodyMaxBytes)
    return toResponse(await vouchers.issue(body), request.headers)
  } catch (error) {
    return refused(error, toVoucherRefusal)
  }
}

async function statusRoute(
  { deps, swap, callers }: RouteParts,
  request: Request,
): Promise<Response> {
  try {
    admit(deps, ROUTES.swapStatus.policy, callers.of(request).limitKey)
    return toResponse(await swap.status(queryOf(request)), request.headers)
  } catch (error) {
    return refused(error, toStatusRefusal)
  }
}

function refused(error: unknown, toRefusal: (error: unknown) => Refusal | null): Response {
  const refusal = toRefusal(error)
  return refusal ? refusalResponse(refusal, error) : failureResponse(error)
}
