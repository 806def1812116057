import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MANDATE_PATH } from '../../../src/contract/act-paths.ts'
import type { LimitsBody } from '../../../src/contract/mandate.ts'
import { bodyLimits, combinedLimits, limitsBody } from '../../../src/core/mandate.ts'
import type { Store } from '../../../src/core/ports.ts'
import { mandateAct } from '../../../src/gateway/account/key-act.ts'
import { CONTROL_CHANGES } from '../../../src/gateway/controls/controls.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { envelope, newCaller, type TestCaller } from '../../caller.ts'
import { FROM, openInstance } from '../standby/instance.ts'

const START_MS = 1_800_000_000_000

const caller = newCaller()
const accountId = caller.accountId.toLowerCase()
let nowMs: number
let store: Store
let instance: Awaited<ReturnType<typeof openInstance>>

beforeEach(async () => {
  nowMs = START_MS
  store = openSqlite(':memory:', 0)
  const send = async () => {
    throw new RangeError('an act on a mandate is none for the venue')
  }
  instance = await openInstance({ store, nowMs: () => nowMs, send })
  await instance.prove(caller)
})
afterEach(() => store.close())

async function sign(limits: LimitsBody, counter = 1) {
  const mandate = { accountId, limits: bodyLimits(limits), counter, changedAtMs: 0 }
  expect(await instance.gateway.mandates.put({ ...mandate, frozenBy: 'none' })).toBe(true)
}

type Act = { readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE'; readonly body?: object }

/** The answer to an act, signed a little later than the one before: two acts are never the same. */
async function act({ method = 'PUT', body }: Act, by: TestCaller = caller, ageMs = 0) {
  nowMs += 1
  const timestamp = String(nowMs - ageMs)
  const text = body && { body: JSON.stringify(body) }
  const signed = envelope(by, { method, path: MANDATE_PATH, timestamp, ...text })
  return { signed, answer: await sendSigned(signed) }
}

function sendSigned(signed: ReturnType<typeof envelope>) {
  return mandateAct(instance.gateway, signed, FROM).then(
    ({ reply }) => JSON.parse(reply.text()),
    ({ code, meta }) => ({ code, ...meta }),
  )
}

const tighten = async (limits: LimitsBody) => (await act({ body: { limits } })).answer
const freeze = async () => (await act({ body: { frozen: true } })).answer
const show = async () => (await act({ method: 'GET' })).answer

describe('a trading key', () => {
  test('sees the mandate of its account, and that there is none', async () => {
    expect(await show()).toEqual({ limits: {}, counter: 0, frozenBy: 'none' })
    await sign({ maxOrderUsdc: 100, symbols: ['PERP_ETH_USDC'] }, 7)
    const limits = { maxOrderUsdc: '100', symbols: ['PERP_ETH_USDC'] }
    expect(await show()).toEqual({ limits, counter: 7, frozenBy: 'none' })
  })

  test('tightens what the wallet has signed, and freezes it, and the other limits stay', async () => {
    await sign({ maxOrderUsdc: 100, maxDailyUsdc: 500 })
    const limits = { maxOrderUsdc: '99.999999', maxDailyUsdc: '500', readOnly: true }
    expect(await tighten({ maxOrderUsdc: '99.999999', readOnly: true })).toMatchObject({ limits })
    expect(await freeze()).toEqual({
      ...{ limits, counter: 1, frozenBy: 'key', stillOpening: null },
      ...{ used: { maxDailyUsdc: '0' }, renewsAtMs: { maxDailyUsdc: null } },
    })
    expect(await tighten({ maxDailyUsdc: 1 })).toMatchObject({ frozenBy: 'key' })
  })

  const LOOSER: readonly (readonly [string, LimitsBody, string])[] = [
    ['a higher amount', { maxOrderUsdc: '100.000001' }, 'limits.maxOrderUsdc'],
    ['one of several', { maxOrderUsdc: 1, maxLeverage: 6 }, 'limits.maxLeverage'],
    ['another market', { symbols: ['PERP_ETH_USDC', 'PERP_BTC_USDC'] }, 'limits.symbols'],
    ['no read-only', { readOnly: false }, 'limits.readOnly'],
    ['a later end', { expiresAtMs: START_MS + 1 }, 'limits.expiresAtMs'],
  ]
  test.each(LOOSER)(
    'cannot loosen: %s is refused, and nothing changes',
    async (_, limits, parameter) => {
      await sign({
        maxOrderUsdc: 100,
        maxLeverage: 5,
        symbols: ['PERP_ETH_USDC'],
        readOnly: true,
        expiresAtMs: START_MS,
      })
      const before = await show()
      const refused = { code: 'invalid_request', reason: 'out_of_range', parameter }
      expect(await tighten(limits)).toMatchObject(refused)
      expect(await show()).toEqual(before)
    },
  )

  test('cannot lift a freeze, whoever froze', async () => {
    await sign({})
    await freeze()
    const unfreeze = await act({ body: { frozen: false } })
    expect(unfreeze.answer).toMatchObject({ code: 'invalid_request', parameter: 'frozen' })
    expect(await show()).toMatchObject({ frozenBy: 'key' })
  })

  test('sees that the operator has frozen the account, and what holds beside it', async () => {
    await sign({ maxOrderUsdc: 100 }, 3)
    const entry = { atMs: 0, act: 'freezes', fields: {}, fingerprint: '' }
    const { controls } = instance.gateway
    await controls.commit(entry, [CONTROL_CHANGES.freeze(caller.accountId, 1)])
    // Nothing has been read of the orders that can still open a position.
    const shown = { limits: { maxOrderUsdc: '100' }, counter: 3, stillOpening: null }
    expect(await show()).toEqual({ ...shown, frozenBy: 'operator' })
    expect(await freeze()).toMatchObject({ frozenBy: 'operator' })
    await controls.commit(entry, [CONTROL_CHANGES.freeze(caller.accountId, null)])
    expect(await show()).toEqual({ ...shown, frozenBy: 'key' })
  })

  test('changes nothing where no wallet has signed: nobody could loosen it again', async () => {
    expect(await freeze()).toMatchObject({ code: 'forbidden', reason: 'no_mandate' })
    expect(await store.mandates.find(accountId)).toBeNull()
  })

  // Slow: generated orders of events are each signed and posted.
  test('whatever keys send in whatever order, limits and freeze only get tighter', async () => {
    const limits = fc.record(
      {
        maxOrderUsdc: fc.nat(20),
        maxOrdersPerMinute: fc.integer({ min: 1, max: 20 }),
        symbols: fc.subarray(['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC']),
        reduceOnly: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    const acts = fc.array(
      fc.record({ limits, frozen: fc.constant(true as const) }, { requiredKeys: ['limits'] }),
      { maxLength: 8 },
    )
    let counter = 0
    await fc.assert(
      fc.asyncProperty(limits, acts, async (first, bodies) => {
        counter += 1
        await sign(first, counter)
        let before = await store.mandates.find(accountId)
        for (const body of bodies) {
          await act({ body })
          const after = await store.mandates.find(accountId)
          if (!before || !after) throw new RangeError('the mandate is gone')
          const kept = combinedLimits(before.limits, after.limits)
          expect(limitsBody(kept)).toEqual(limitsBody(combinedLimits(after.limits)))
          expect([before.frozenBy, 'key']).toContain(after.frozenBy)
          expect(after.counter).toBe(counter)
          before = after
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('an act on a mandate is refused', () => {
  beforeEach(() => sign({ maxOrderUsdc: 100 }))

  test('of a key that the venue has not accepted for the account: nobody can name a victim', async () => {
    const stranger = { ...newCaller(), accountId: caller.accountId }
    for (const method of ['GET', 'PUT'] as const) {
      const body = method === 'PUT' ? { body: { frozen: true } } : {}
      const { answer } = await act({ method, ...body }, stranger)
      expect(answer).toMatchObject({ code: 'unauthorized', reason: 'key_unknown' })
    }
    expect(await show()).toMatchObject({ frozenBy: 'none' })
  })

  test('that is repeated, so that nobody who has seen it does it again', async () => {
    const { signed } = await act({ body: { frozen: true } })
    await sign({}, 2)
    expect(await sendSigned(signed)).toEqual({ code: 'duplicate_request' })
    expect(await show()).toMatchObject({ frozenBy: 'none', counter: 2 })
  })

  test('that was signed more than five minutes ago, and not one of exactly five', async () => {
    const { answer } = await act({ body: { frozen: true } }, caller, 300_001)
    expect(answer).toMatchObject({ code: 'expired_signature', reason: 'clock' })
    const young = await act({ body: { frozen: true } }, caller, 300_000)
    expect(young.answer).toMatchObject({ frozenBy: 'key' })
  })

  test('whose body is another than the one that was signed', async () => {
    const { signed } = await act({ method: 'GET' })
    const changed = { ...signed, method: 'PUT', body: '{"frozen":true}' } as const
    expect(await sendSigned(changed)).toEqual({ code: 'invalid_signature' })
  })

  test.each([
    ['of another method', { method: 'DELETE' }, { code: 'forbidden', expected: 'GET or PUT' }],
    ['that reads with a body', { method: 'GET', body: {} }, { parameter: 'body' }],
    ['that changes nothing', { body: {} }, { code: 'invalid_request' }],
    ['without a body', {}, { code: 'invalid_request', parameter: 'body' }],
    [
      'with a limit that nobody knows',
      { body: { limits: { maxOrder: 1 } } },
      { parameter: 'limits.maxOrder' },
    ],
  ] as const)('%s', async (_, given, refused) => {
    const { answer } = await act(given)
    expect(answer).toMatchObject(refused)
    expect(await show()).toMatchObject({ frozenBy: 'none', limits: { maxOrderUsdc: '100' } })
  })
})
