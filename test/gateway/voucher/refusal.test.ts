import { expect, test } from 'bun:test'
import { Failure, invalidParameter } from '../../../src/core/failure.ts'
import { toVoucherRefusal, VoucherRefusal } from '../../../src/gateway/voucher/refusal.ts'

test.each([
  ['a bad body', invalidParameter('txHash'), 400, 'Send a JSON body with chainId and txHash.'],
  ['another method', new Failure('method_not_allowed'), 405, 'This method is not supported here.'],
  ['a large body', new Failure('payload_too_large'), 413, 'The request body is too large.'],
  [
    'another type',
    new Failure('unsupported_media_type'),
    415,
    'Send the body as application/json.',
  ],
  ['no desk', new Failure('not_configured'), 503, 'Vouchers are not available on this deployment.'],
  [
    'a full disk',
    new Failure('store_unavailable'),
    503,
    'The voucher cannot be recorded right now. Nothing was signed. Try again in a moment.',
  ],
  ['a stray failure', new Failure('forbidden'), 500, 'Something went wrong on our side.'],
  ['a bug', new Error('secret'), 500, 'Something went wrong on our side.'],
  ['a refusal', new VoucherRefusal('reverted'), 422, 'This transaction did not succeed.'],
])('%s is answered with its status and the sentence of the list', (_, error, status, sentence) => {
  expect(toVoucherRefusal(error)).toMatchObject({ status, error: sentence })
})

test('only what may be tried again says when', () => {
  expect(new VoucherRefusal('unreadable').retryAfterSeconds).toBe(15)
  expect(new VoucherRefusal('unavailable').retryAfterSeconds).toBeUndefined()
})

test('a full window keeps its code', () => {
  expect(toVoucherRefusal(new Failure('rate_limited'))).toBeNull()
})
