import { Elysia } from 'elysia'
import { ROUTES } from '../contract/routes.ts'
import { VOUCHER_LIMITS, VoucherBody } from '../contract/voucher.ts'
import type { Refusal } from '../core/failure.ts'
import { admit } from '../gateway/limits/admission.ts'
import { toStatusRefusal } from '../gateway/swap/refusal.ts'
import type { Swap } from '../gateway/swap/swap.ts'
import { toVoucherRefusal } from '../gateway/voucher/refusal.ts'
import type { Vouchers } from '../gateway/voucher/voucher.ts'
import { readBody } from './server/body.ts'
import { type RouteAccess, requestQuery, UNPARSED_BODY } from './server/endpoints.ts'
import { reportFailed } from './server/failed-response.ts'
import {
  failureResponse,
  methodNotAllowed,
  refusalResponse,
  toResponse,
} from './server/responses.ts'

type Reporting = Parameters<typeof reportFailed>[0]

type UncodedRouteOptions = RouteAccess &
  Reporting & {
    readonly swap: Pick<Swap, 'status'>
    readonly vouchers: Vouchers
  }

/**
 * The two routes whose failures are `{error}` without a code, except rate_limited. They answer their failures
 * themselves instead of through the router's failure hook.
 */
export const uncodedRoutes = (parts: UncodedRouteOptions) =>
  new Elysia({ name: 'routes.legacy' })
    .post(ROUTES.voucher.path, ({ request }) => voucherRoute(parts, request), UNPARSED_BODY)
    .all(
      ROUTES.voucher.path,
      () => codelessResponse(parts, methodNotAllowed('POST'), toVoucherRefusal),
      UNPARSED_BODY,
    )
    .get(ROUTES.swapStatus.path, ({ request }) => statusRoute(parts, request))
    .all(
      ROUTES.swapStatus.path,
      () => codelessResponse(parts, methodNotAllowed('GET, HEAD'), toStatusRefusal),
      UNPARSED_BODY,
    )

async function voucherRoute(parts: UncodedRouteOptions, request: Request): Promise<Response> {
  const { limiter, vouchers, callers, controls } = parts
  try {
    const { limitKey } = callers.of(request)
    await admit(limiter, ROUTES.voucher.policy, limitKey)
    controls.assertOpen()
    const body = await readBody(request, VoucherBody, limitKey, VOUCHER_LIMITS.bodyMaxBytes)
    return toResponse(await vouchers.issue(body), request.headers)
  } catch (error) {
    return codelessResponse(parts, error, toVoucherRefusal)
  }
}

async function statusRoute(parts: UncodedRouteOptions, request: Request): Promise<Response> {
  const { limiter, swap, callers } = parts
  try {
    await admit(limiter, ROUTES.swapStatus.policy, callers.of(request).limitKey)
    return toResponse(await swap.status(requestQuery(request)), request.headers)
  } catch (error) {
    return codelessResponse(parts, error, toStatusRefusal)
  }
}

/** The response to an error, with the route's own error texts. The error is logged like every other error. */
function codelessResponse(
  parts: Reporting,
  error: unknown,
  toRefusal: (error: unknown) => Refusal | null,
): Response {
  reportFailed(parts, error)
  const refusal = toRefusal(error)
  return refusal ? refusalResponse(refusal, error) : failureResponse(error)
}
