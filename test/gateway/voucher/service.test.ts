import { afterEach, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { uncachedAnswer } from '../../../src/gateway/cache/answer.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { openVoucherService } from '../../../src/gateway/voucher/service.ts'
import { createSigners, voucherSigner } from '../../../src/gateway/voucher/signers.ts'
import { createVouchers, type VoucherAccess } from '../../../src/gateway/voucher/voucher.ts'
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'

const scrub = createScrub({ names: [] })
const reply = uncachedAnswer(scrub.value({}, { audience: 'private' }))
const store = openVoucherStore(':memory:')
let nowMs = 0
const clock = { nowMs: () => nowMs }
const asked: string[] = []
const nothing = () => undefined
const log = { error: nothing, warn: nothing, info: nothing, debug: nothing }

function openService() {
  return openVoucherService({
    clock,
    store,
    config: { chains: new Map(), caps: new Map(), validitySeconds: 600 },
    signers: createSigners({
      keys: [voucherSigner(new Uint8Array(32).fill(1))],
      store,
      monotonicMs: clock.nowMs,
      log,
    }),
    chains: {
      read: async (_, txHash) => {
        asked.push(txHash)
        return []
      },
    },
  })
}

afterEach(() => {
  nowMs = 0
  asked.length = 0
})

describe('flights', () => {
  test('are shared by those who ask alike, and no more than sixty-four at once', async () => {
    const { flights } = openService()
    const { promise, resolve } = Promise.withResolvers<typeof reply>()
    let runs = 0
    const run = () => {
      runs += 1
      return promise
    }
    const flying = Array.from({ length: 64 }, (_, at) => flights.join(String(at), run))
    flying.push(flights.join('0', run))
    const late = flights.join('late', run).catch((error: unknown) => error)
    expect(await late).toMatchObject({ refusal: 'unreadable' })
    expect(runs).toBe(64)
    resolve(reply)
    expect(await Promise.all(flying)).toHaveLength(65)
    expect(await flights.join('late', run)).toBe(reply)
  })

  test('that fail make room again', async () => {
    const { flights } = openService()
    for (let count = 0; count < 70; count += 1) {
      const failed = flights.join('x', () => Promise.reject(new Error('failed')))
      expect(await failed.catch((error: Error) => error.message)).toBe('failed')
    }
  })
})

test('unknown transactions are forgotten after ten seconds, the oldest first when there are many', () => {
  const { unknown } = openService()
  unknown.add('a')
  nowMs = 9_999
  expect([unknown.has('a'), unknown.has('b')]).toEqual([true, false])
  nowMs = 10_000
  expect(unknown.has('a')).toBe(false)
  for (let count = 0; count < 10_000; count += 1) unknown.add(String(count))
  expect([unknown.has('0'), unknown.has('9999')]).toEqual([true, true])
  unknown.add('b')
  expect([unknown.has('0'), unknown.has('1'), unknown.has('b')]).toEqual([false, true, true])
})

describe('a request', () => {
  const log = {
    error: () => undefined,
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  }
  const body = { chainId: 901, txHash: `0x${'a'.repeat(64)}` }
  const refusalOf = (deps: VoucherAccess) =>
    createVouchers(deps)
      .issue(body)
      .catch((error: { status: number; error: string }) => [error.status, error.error])

  test('where vouchers are off is told so', async () => {
    expect(await refusalOf({ clock, log, scrub, service: null })).toEqual([
      503,
      'Vouchers are not available on this deployment.',
    ])
  })

  test('about a chain that is not served asks nobody', async () => {
    const deps = { clock, log, scrub, service: openService() }
    expect(await refusalOf(deps)).toEqual([400, 'This chain is not supported.'])
    expect(asked).toEqual([])
  })
})

test.each([
  ['away', new Failure('store_unavailable'), null],
  ['at fault', new RangeError('a row that cannot be'), 'a row that cannot be'],
] as const)(
  'whether another instance signs is not known from a store that is %s',
  async (_, fault, thrown) => {
    const registerSigner = () => Promise.reject(fault)
    const keys = [voucherSigner(new Uint8Array(32).fill(1))]
    const signers = createSigners({
      keys,
      store: { registerSigner },
      monotonicMs: clock.nowMs,
      log,
    })
    for (const call of [signers.conflict, signers.renew]) {
      const why = await call().then(
        () => null,
        (error: Error) => error.message,
      )
      expect(why).toBe(thrown)
    }
    expect(signers.current()).rejects.toThrow(fault)
  },
)
