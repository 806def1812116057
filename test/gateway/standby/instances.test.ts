import { expect, test } from 'bun:test'
import type { UpstreamRequest } from '../../../src/core/ports.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, openInstance, TAKEN } from './instance.ts'

const START_MS = 1_800_000_000_000
const SECOND_MS = 1000

/** Instances on one store, in front of a venue that never answers a call of the first. */
async function openAll() {
  const caller = newCaller()
  const store = openSqlite(':memory:', 0)
  const sent: (string | undefined)[] = []
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  let nowMs = START_MS
  const parts = { store, nowMs: () => nowMs }
  const note = ({ headers }: UpstreamRequest) => sent.push(headers['orderly-timestamp'])
  const dying = await openInstance({
    ...parts,
    send: (request) => {
      note(request)
      resolve()
      return new Promise(() => undefined)
    },
  })
  const live = async () => {
    const send = async (request: UpstreamRequest) => {
      note(request)
      return TAKEN
    }
    return openInstance({ ...parts, send })
  }
  const others = [await live(), await live(), await live()] as const
  await dying.prove(caller)
  await dying.arm([cancelAt(caller, START_MS), cancelAt(caller, START_MS + 100_000)], 30_000)
  return {
    ...{ caller, dying, others, sent, arrived },
    pass: (ms: number) => {
      nowMs += ms
    },
    [Symbol.dispose]: () => store.close(),
  }
}

test('several instances send one cancel between them', async () => {
  using all = await openAll()
  all.pass(30_000)
  await Promise.all(all.others.map(({ send }) => send()))
  expect(all.sent).toEqual([String(START_MS)])
})

test('an instance takes over from one that died while it sent: the next goes out, because the first may have arrived', async () => {
  using all = await openAll()
  const [other] = all.others
  all.pass(30_000)
  void all.dying.send()
  await all.arrived
  const renewed = await other.arm([cancelAt(all.caller, START_MS + 40_000)], 30_000)
  expect(renewed).toMatchObject({ code: 'not_available' })
  all.pass(20 * SECOND_MS - 1)
  await other.send()
  expect(all.sent).toEqual([String(START_MS)])
  all.pass(1)
  await other.send()
  all.pass(2 * SECOND_MS)
  await other.send()
  expect(all.sent).toEqual([String(START_MS), String(START_MS + 100_000)])
  expect(await other.act(all.caller, 'GET')).toMatchObject({ state: 'cancelled' })
})
