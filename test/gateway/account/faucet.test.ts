import { afterEach, beforeEach, expect, test } from 'bun:test'
import { FAUCET_PATH } from '../../../src/contract/act-paths.ts'
import type { Store } from '../../../src/core/ports.ts'
import { createFaucet, faucetAct } from '../../../src/gateway/account/faucet.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { envelope, newCaller } from '../../caller.ts'
import { FROM, openInstance } from '../standby/instance.ts'

const FULL = 10_000_000_000n
const caller = newCaller()
let nowMs: number
let store: Store
let instance: Awaited<ReturnType<typeof openInstance>>
/** What the account holds, in millionths of USDC; null where the venue has no such account. */
let held: bigint | null
let fails: boolean

beforeEach(async () => {
  nowMs = 1_800_000_000_000
  store = openSqlite(':memory:', 0)
  const send = async () => {
    throw new RangeError('the faucet is none of the venue protocol')
  }
  instance = await openInstance({ store, nowMs: () => nowMs, send })
  await instance.prove(caller)
  held = 0n
  fails = false
})
afterEach(() => store.close())

const usdc = (micros: bigint) => (Number(micros) / 1e6).toFixed(6)

function newFaucet() {
  return createFaucet({
    fullMicros: FULL,
    holdingOf: async () => (held === null ? null : usdc(held)),
    credit: async (_, micros) => {
      await Promise.resolve()
      if (fails) throw new RangeError('the venue is away')
      held = (held ?? 0n) + micros
    },
  })
}

function fill(faucet: ReturnType<typeof newFaucet>) {
  nowMs += 1
  const signed = envelope(caller, { method: 'POST', path: FAUCET_PATH, timestamp: String(nowMs) })
  return faucetAct({ ...instance.gateway, faucet }, signed, FROM).then(
    ({ reply }) => JSON.parse(reply.text()).creditedUsdc,
    ({ code, name }) => code ?? name,
  )
}

test('calls of one account at the same time fill it up once', async () => {
  held = 4_000_000_000n
  const faucet = newFaucet()
  const credited = await Promise.all([fill(faucet), fill(faucet), fill(faucet)])
  expect(credited.toSorted()).toEqual(['0', '0', '6000'])
  expect(held).toBe(FULL)
})

test('a call that fails keeps nothing from the next, and an account that is not there is not found', async () => {
  const faucet = newFaucet()
  fails = true
  expect(await fill(faucet)).toBe('RangeError')
  fails = false
  expect(await fill(faucet)).toBe('10000')
  held = null
  expect(await fill(faucet)).toBe('not_found')
})
