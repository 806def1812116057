import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Limits, MandateStore, SignedMandate } from '../../../src/core/mandate.ts'
import type { Store } from '../../../src/core/ports.ts'
import {
  CONTROL_CHANGES,
  type Controls,
  loadControls,
} from '../../../src/gateway/controls/controls.ts'
import { createMandates, type Mandates } from '../../../src/gateway/mandate/mandates.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const ACCOUNT = `0x${'a1'.repeat(32)}`
const OTHER = `0x${'b2'.repeat(32)}`

let store: Store
let controls: Controls
let mandates: Mandates
/** The accounts that the store was asked for, and who is to be called back by another instance. */
let asked: string[]
let announce: Parameters<MandateStore['watch']>[0]
/** What happens while the store is being asked. */
let meanwhile: () => unknown

beforeEach(async () => {
  store = openSqlite(':memory:', 0)
  controls = await loadControls(store.controls)
  asked = []
  meanwhile = () => undefined
  const watched: MandateStore = {
    ...store.mandates,
    find: async (accountId) => {
      asked.push(accountId)
      const found = await store.mandates.find(accountId)
      await meanwhile()
      return found
    },
    watch: (changed) => {
      announce = changed
    },
  }
  mandates = createMandates(watched, controls)
})
afterEach(() => store.close())

function signed(counter: number, limits: Limits, own: Partial<SignedMandate> = {}): SignedMandate {
  return { accountId: ACCOUNT, limits, counter, frozenBy: 'none', changedAtMs: 0, ...own }
}

const operator = (frozen: boolean) =>
  controls.commit({ atMs: 0, act: 'freezes', fields: {}, fingerprint: '' }, [
    CONTROL_CHANGES.freeze(ACCOUNT, frozen ? 1 : null),
  ])

test('what is signed here holds at once, and what holds nothing is none', async () => {
  expect(await mandates.of(ACCOUNT)).toBeNull()
  expect(await mandates.put(signed(1, { maxOrderUsdc: 5n }))).toBe(true)
  expect(await mandates.of(ACCOUNT)).toMatchObject({ counter: 1, limits: { maxOrderUsdc: 5n } })
  expect(await mandates.of(OTHER)).toBeNull()
  await mandates.put(signed(2, {}, { frozenBy: 'wallet' }))
  expect(await mandates.of(ACCOUNT)).toMatchObject({ frozenBy: 'wallet' })
  await mandates.put(signed(3, { readOnly: false }))
  expect(await mandates.of(ACCOUNT)).toBeNull()
  await mandates.put(signed(4, { symbols: [] }))
  expect(await mandates.of(ACCOUNT)).toMatchObject({ limits: { symbols: [] } })
})

test('the store is asked once, until this or another instance changes the mandate', async () => {
  for (let times = 0; times < 3; times += 1) await mandates.of(ACCOUNT)
  expect(asked).toEqual([ACCOUNT])
  await mandates.put(signed(1, {}))
  await mandates.of(ACCOUNT)
  expect(asked).toHaveLength(2)
  await store.mandates.put(signed(2, { readOnly: true }))
  expect(await mandates.of(ACCOUNT)).toBeNull()
  announce(OTHER)
  expect(await mandates.of(ACCOUNT)).toBeNull()
  announce(ACCOUNT)
  expect(await mandates.of(ACCOUNT)).toMatchObject({ counter: 2 })
  await store.mandates.put(signed(3, {}))
  announce(null)
  expect(await mandates.of(ACCOUNT)).toBeNull()
})

test('what was read while it changed is not kept', async () => {
  meanwhile = async () => {
    meanwhile = () => undefined
    await mandates.put(signed(1, { readOnly: true }))
  }
  await mandates.of(ACCOUNT)
  expect(await mandates.of(ACCOUNT)).toMatchObject({ limits: { readOnly: true } })
})

test('an operator freezes an account without a mandate, in any spelling, and no other', async () => {
  await controls.commit({ atMs: 0, act: 'freezes', fields: {}, fingerprint: '' }, [
    CONTROL_CHANGES.freeze(ACCOUNT.toUpperCase().replace('0X', '0x'), 1),
  ])
  expect(await mandates.of(ACCOUNT)).toEqual({
    ...{ accountId: ACCOUNT, limits: {}, counter: 0, frozenBy: 'operator' },
  })
  expect(await mandates.of(OTHER)).toBeNull()
  const afterRestart = createMandates(store.mandates, await loadControls(store.controls))
  expect(await afterRestart.of(ACCOUNT)).toMatchObject({ frozenBy: 'operator' })
})

test('an operator’s freeze stays whatever wallet and keys do, and what they did holds after it', async () => {
  const doing = fc.constantFrom('wallet frees', 'wallet freezes', 'key freezes')
  let counter = 0
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 6 }), async (doings) => {
      await operator(true)
      let left: string = (await store.mandates.find(ACCOUNT))?.frozenBy ?? 'none'
      for (const each of doings) {
        counter += 1
        const found = await mandates.find(ACCOUNT)
        if (each === 'key freezes') {
          if (found) await mandates.tighten(found, { ...found, frozenBy: 'key' })
          left = found ? 'key' : left
        } else {
          left = each === 'wallet frees' ? 'none' : 'wallet'
          await mandates.put(signed(counter, {}, { frozenBy: left === 'none' ? 'none' : 'wallet' }))
        }
        expect(await mandates.of(ACCOUNT)).toMatchObject({ frozenBy: 'operator' })
      }
      await operator(false)
      expect((await mandates.of(ACCOUNT))?.frozenBy ?? 'none').toBe(left as 'none')
    }),
    { numRuns: 30 },
  )
})

test('while the store is away, no mandate is taken for none', async () => {
  meanwhile = () => {
    throw new RangeError('away')
  }
  await expect(mandates.of(ACCOUNT)).rejects.toThrow('away')
  meanwhile = () => undefined
  expect(await mandates.of(ACCOUNT)).toBeNull()
})
