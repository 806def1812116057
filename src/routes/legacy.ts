import { Elysia } from 'elysia'
import type { Refusal } from '../core/failure.ts'
import { admit } from '../limits/admission.ts'
import { ROUTES } from '../spec/routes.ts'
import { VOUCHER_LIMITS, VoucherBody } from '../spec/voucher.ts'
import { toStatusRefusal } from '../swap/refusal.ts'
import type { Swap } from '../swap/swap.ts'
import { toVoucherRefusal } from '../voucher/refusal.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { readBody } from './http/body.ts'
import { type Entrance, queryOf, RAW } from './http/endpoints.ts'
import { failureResponse, methodNotAllowed, refusalResponse, toResponse } from './http/responses.ts'

type LegacyParts = Entrance & {
  readonly swap: Pick<Swap, 'status'>
  readonly vouchers: Vouchers
}

/**
 * The two routes whose failures are `{error}` without a code, but for rate_limited. They answer their failures
 * themselves: their errors never reach the hook that all other routes share.
 */
export const legacy = (parts: LegacyParts) =>
  new Elysia({ name: 'routes.legacy' })
    .post(ROUTES.voucher.path, ({ request }) => voucherRoute(parts, request), RAW)
    .all(
      ROUTES.voucher.path,
      () => codelessResponse(methodNotAllowed('POST'), toVoucherRefusal),
      RAW,
    )
    .get(ROUTES.swapStatus.path, ({ request }) => statusRoute(parts, request))
    .all(
      ROUTES.swapStatus.path,
      () => codelessResponse(methodNotAllowed('GET, HEAD'), toStatusRefusal),
      RAW,
    )

async function voucherRoute(
  { limiter, vouchers, callers, controls }: LegacyParts,
  request: Request,
): Promise<Response> {
  try {
    await admit(limiter, ROUTES.voucher.policy, callers.of(request).limitKey)
    controls.assertOpen()
    const body = await readBody(request, VoucherBody, VOUCHER_LIMITS.bodyMaxBytes)
    return toResponse(await vouchers.issue(body), request.headers)
  } catch (error) {
    return codelessResponse(error, toVoucherRefusal)
  }
}

async function statusRoute(
  { limiter, swap, callers }: LegacyParts,
  request: Request,
): Promise<Response> {
  try {
    await admit(limiter, ROUTES.swapStatus.policy, callers.of(request).limitKey)
    return toResponse(await swap.status(queryOf(request)), request.headers)
  } catch (error) {
    return codelessResponse(error, toStatusRefusal)
  }
}

/** The response for an error, in the route's own sentences; an unexpected error as everywhere. */
function codelessResponse(error: unknown, toRefusal: (error: unknown) => Refusal | null): Response {
  const refusal = toRefusal(error)
  return refusal ? refusalResponse(refusal, error) : failureResponse(error)
}
