import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/core/failure.ts'
import { UpstreamError, type UpstreamRequest } from '../../../src/core/ports.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { runs } from '../../runs.ts'
import { cancelAt, openInstance, TAKEN } from './instance.ts'

const START_MS = 1_800_000_000_000
/** How far apart the cancels of a deposit are signed, and how long the last can be sent. */
const APART_MS = 200_000
const LAST_MS = 270_000
const caller = newCaller()
const PAIR = { accountId: caller.accountId.toLowerCase(), publicKey: caller.key }

/** A venue that is `silent` breaks off: nobody knows whether it has taken the call. */
const VENUES = ['up', 'away', 'silent'] as const

/** What happens next: seconds pass, one of two instances looks for what is due, or dies while it sends it. */
const EVENT = fc.oneof(
  fc.record({ what: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ what: fc.constant('send' as const), by: fc.nat(1) }),
  fc.record({ what: fc.constant('die' as const), by: fc.nat(1) }),
  fc.record({ what: fc.constant('renew' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ what: fc.constant('withdraw' as const) }),
  fc.record({ what: fc.constant('venue' as const), is: fc.constantFrom(...VENUES) }),
)

type Event = typeof EVENT extends fc.Arbitrary<infer Each> ? Each : never

/** Two instances on one store, and what their caller and the venue see. */
async function openWorld() {
  const store = openSqlite(':memory:', 0)
  const sent: string[] = []
  /** How each deposit ended, by when it was signed, which no two have in common. */
  const endings = new Map<number, Set<string>>()
  let nowMs = START_MS
  let venue: (typeof VENUES)[number] = 'up'
  let isDying = false
  let last: number | null = null

  async function send({ headers }: UpstreamRequest) {
    if (venue === 'away') throw new UpstreamError('unreachable', false)
    sent.push(headers['orderly-timestamp'] ?? '')
    if (isDying) await new Promise<never>(() => undefined)
    if (venue !== 'up') throw new UpstreamError('reset', true)
    return TAKEN
  }
  const open = () => openInstance({ store, nowMs: () => nowMs, send })
  const client = await open()
  await client.prove(caller)
  const instances = [await open(), await open()]

  async function die(by: number): Promise<void> {
    isDying = true
    void instances[by]?.send()
    await Bun.sleep(0)
    isDying = false
    instances[by] = await open()
  }

  async function renew(count: number): Promise<void> {
    const signed = Array.from({ length: count }, (_, at) => cancelAt(caller, nowMs + at * APART_MS))
    await client.arm(signed, 30_000)
  }

  async function act(event: Event): Promise<void> {
    if (event.what === 'pass') nowMs += event.seconds * 1000
    if (event.what === 'venue') venue = event.is
    if (event.what === 'send') await instances[event.by]?.send()
    if (event.what === 'die') await die(event.by)
    if (event.what === 'renew') await renew(event.count)
    if (event.what === 'withdraw') await client.act(caller, 'DELETE')
  }

  /** Notes what has become of the deposit that was last seen. */
  async function note(): Promise<void> {
    const row = await store.standbys.find(PAIR)
    if (!row) return
    const isOpen = row.state === 'armed' || row.state === 'sending'
    if (last !== null && last !== row.signedAtMs && endings.get(last)?.size === 0)
      endings.get(last)?.add('renewed')
    last = row.signedAtMs
    const seen = endings.get(last) ?? new Set()
    endings.set(last, isOpen ? seen : seen.add(row.state))
  }

  return {
    sent,
    endings,
    happen: async (event: Event): Promise<void> => {
      await act(event)
      await note()
    },
    close: () => store.close(),
  }
}

/** The venue is there, and one instance looks each few seconds, until no cancel can be sent any more. */
const CALM: readonly Event[] = [
  { what: 'venue', is: 'up' },
  ...Array.from({ length: (2 * APART_MS + LAST_MS) / 5000 + 5 }, (): Event[] => [
    { what: 'pass', seconds: 5 },
    { what: 'send', by: 1 },
  ]).flat(),
]

// Slow: random sequences of deaths are each played on instances of their own.
test('whoever dies when, each deposit ends in one way, and no signature is sent twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(EVENT, { minLength: 5, maxLength: 40 }), async (events) => {
      const world = await openWorld()
      for (const event of [...events, ...CALM]) await world.happen(event)
      const { sent, endings } = world
      expect(new Set(sent).size).toBe(sent.length)
      for (const ways of endings.values()) expect(ways.size).toBe(1)
      world.close()
    }),
    { numRuns: runs(25) },
  )
})

test('a cancel whose claim cannot be kept goes when it can, and once', async () => {
  const kept = openSqlite(':memory:', 0)
  let isAway = true
  const claim: typeof kept.once.claim = async (...args) => {
    if (isAway) throw new Failure('store_unavailable')
    return kept.once.claim(...args)
  }
  const sent: string[] = []
  let nowMs = START_MS
  const instance = await openInstance({
    store: { ...kept, once: { ...kept.once, claim } },
    nowMs: () => nowMs,
    send: async ({ headers }) => {
      sent.push(headers['orderly-timestamp'] ?? '')
      return TAKEN
    },
  })
  await instance.prove(caller)
  sent.length = 0
  await instance.arm([cancelAt(caller, nowMs)], 30_000)
  nowMs += 30_000
  await instance.send()
  expect(sent).toEqual([])
  expect(await kept.standbys.find(PAIR)).toMatchObject({ state: 'armed' })
  isAway = false
  nowMs += 5000
  await instance.send()
  expect(sent).toEqual([String(START_MS)])
  expect(await kept.standbys.find(PAIR)).toMatchObject({ state: 'cancelled' })
  kept.close()
})

test('one that is renewed, withdrawn or past has sent nothing that was not due', async () => {
  const silent = (seconds: number): Event => ({ what: 'pass', seconds })
  const world = await openWorld()
  await world.happen({ what: 'renew', count: 1 })
  await world.happen(silent(29))
  await world.happen({ what: 'send', by: 0 })
  await world.happen({ what: 'renew', count: 2 })
  await world.happen(silent(29))
  await world.happen({ what: 'send', by: 1 })
  await world.happen({ what: 'withdraw' })
  for (const event of CALM) await world.happen(event)
  expect(world.sent).toEqual([])
  expect([...world.endings.values()].map((ways) => [...ways])).toEqual([['renewed'], ['withdrawn']])
  world.close()
})
