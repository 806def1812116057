import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { ACCEPTED, type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { type Answer, type Instance, startInstance } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** How many writes are signed, and how often something is killed: more in a long run. */
const WRITES = Number(process.env['KILLED_WRITES'] ?? 60)
const KILLS = Number(process.env['KILLED_TIMES'] ?? 4)
const INSTANCES = 3
const COPIES_EACH = 3

type Slot = { instance: Instance | null; readonly start: () => Promise<void> }

let server: PostgresServer
let venue: RecordingUpstream
const slots: Slot[] = []
beforeAll(async () => {
  server = await startPostgres()
  venue = await startRecordingUpstream(() => ({ ...ACCEPTED, delayMs: Math.random() * 40 }))
  const postgres = await server.newDatabase()
  for (let n = 0; n < INSTANCES; n += 1) slots.push(await slotOf(postgres))
})
afterAll(async () => {
  await Promise.all(slots.map(({ instance }) => instance?.stop()))
  await venue.stop()
  await server.stop()
})

/** An address where an instance is, unless it was just killed. */
async function slotOf(postgres: string): Promise<Slot> {
  const settings = { LISTEN: `127.0.0.1:${freePort()}` }
  const slot: Slot = {
    instance: null,
    start: async () => {
      slot.instance = await startInstance({ postgres, venue: venue.url, settings })
    },
  }
  await slot.start()
  return slot
}

const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)]

/** Sends a copy to a slot until something answers it: a connection that breaks is no answer. */
async function answered(slot: Slot, signed: ReturnType<typeof envelope>): Promise<Answer> {
  for (;;) {
    await Bun.sleep(Math.random() * 60)
    const answer = await slot.instance?.relay(signed).catch(() => null)
    if (answer) return answer
  }
}

/** Kills something with SIGKILL, lets it be away for a moment, and starts it again. */
async function killSomething(): Promise<void> {
  const victim = anyOf([server, ...slots])
  if (!victim) return
  if ('newDatabase' in victim) await victim.kill()
  else {
    const dying = victim.instance
    victim.instance = null
    await dying?.kill()
  }
  await Bun.sleep(50 + Math.random() * 400)
  await victim.start()
}

describe('while PostgreSQL and instances are killed and come back', () => {
  const outcomes = new Map<string, number>()
  const writes = Array.from({ length: WRITES }, () => newCaller())
  const signatures: string[] = []

  async function sendEverywhere(caller: ReturnType<typeof newCaller>): Promise<void> {
    const body = JSON.stringify({ order: crypto.randomUUID() })
    const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
    signatures.push(signed.auth.signature)
    const copies = slots.flatMap((slot) =>
      Array.from({ length: COPIES_EACH }, () => answered(slot, signed)),
    )
    for (const { status, body: said } of await Promise.all(copies)) {
      const outcome = status === 200 ? 'answered' : (said.code ?? String(status))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }

  beforeAll(async () => {
    const each = Math.ceil(WRITES / KILLS)
    for (let from = 0; from < WRITES; from += each)
      await Promise.all([killSomething(), ...writes.slice(from, from + each).map(sendEverywhere)])
  }, 600_000)

  test('every write arrives at the venue once at most, and most of them do', () => {
    const arrivals = new Map<string, number>()
    for (const { headers } of venue.requests) {
      const signature = headers.find(([name]) => name.toLowerCase() === 'orderly-signature')?.[1]
      if (signature) arrivals.set(signature, (arrivals.get(signature) ?? 0) + 1)
    }
    const counts = signatures.map((signature) => arrivals.get(signature) ?? 0)
    expect(counts.filter((count) => count > 1)).toEqual([])
    expect(counts.filter((count) => count === 1).length).toBeGreaterThan(WRITES / 2)
  })

  test('every caller gets the answer, or is told that it is not known, or that nothing was sent', () => {
    const known = ['answered', 'outcome_unknown', 'store_unavailable']
    expect([...outcomes.keys()].filter((outcome) => !known.includes(outcome))).toEqual([])
    const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
    expect(total).toBe(WRITES * INSTANCES * COPIES_EACH)
  })
})
