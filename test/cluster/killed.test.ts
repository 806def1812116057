// Slow: executables are killed under load, and others take over.
import { expect } from 'bun:test'
import { join } from 'node:path'
import { envelope, newCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { testsNeeding } from '../programs.ts'
import { ACCEPTED, type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { runs } from '../runs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { type InstanceProcess, startInstance } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'instances that are killed',
  ...VALKEY_PROGRAMS,
)

/** How many writes are signed, and how often each is killed. */
const WRITES = runs(60)
const TIMES = runs(1)
const NEXT_AFTER_MS = 600
const INSTANCES = 3
const COPIES_EACH = 3

/** What is killed and started again. */
type Victim = { readonly kill: () => Promise<void>; readonly start: () => Promise<void> }
/** An address where an instance is, unless it was just killed. */
type Slot = Victim & {
  readonly folder: Disposable
  readonly instance: () => InstanceProcess | null
}

let server: PostgresServer
let valkey: RunningValkey
let venue: RecordingUpstream
const slots: Slot[] = []
beforeAll(async () => {
  ;[server, valkey, venue] = await Promise.all([
    startPostgres(),
    startValkey(),
    startRecordingUpstream(() => ({ ...ACCEPTED, delayMs: Math.random() * 40 })),
  ])
  const postgres = await server.newDatabase()
  for (let n = 0; n < INSTANCES; n += 1) slots.push(await slotOf(postgres))
  // A new store sends nothing that was signed before its beginning.
  await Promise.all(slots.map(({ instance }) => instance()?.sees('postgres', 'back')))
})
afterAll(async () => {
  await Promise.all(slots.map(({ instance }) => instance()?.stop()))
  for (const { folder } of slots) folder[Symbol.dispose]()
  await Promise.all([server.stop(), valkey.stop(), venue.stop()])
})

async function slotOf(postgres: string): Promise<Slot> {
  const folder = temporaryFolder()
  // The disk of a machine outlives its power.
  const settings = { LISTEN: `127.0.0.1:${freePort()}`, DATA_DIR: join(folder.path, 'data') }
  let instance: InstanceProcess | null = null
  const slot: Slot = {
    folder,
    instance: () => instance,
    start: async () => {
      const shared = { postgres, valkey: valkey.url, venue: venue.url, settings }
      instance = await startInstance(shared)
    },
    kill: async () => {
      const dying = instance
      instance = null
      await dying?.kill()
    },
  }
  await slot.start()
  return slot
}

/** Every victim so often, in an order that nobody knows. */
function executions(victims: readonly Victim[]): Victim[] {
  const rounds = Array.from({ length: TIMES }, () => victims)
  return rounds.flat().toSorted(() => Math.random() - 0.5)
}

/** Ends it with SIGKILL, lets it be away for a moment, and starts it again. */
async function killed({ kill, start }: Victim): Promise<void> {
  await kill()
  await Bun.sleep(50 + Math.random() * 400)
  await start()
}

function expected(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}

describe('while PostgreSQL, Valkey and instances are killed and come back', () => {
  const outcomes = new Map<string, number>()
  const writes = Array.from({ length: WRITES }, () => newCaller())
  const signatures: string[] = []

  async function sendEverywhere(caller: ReturnType<typeof newCaller>): Promise<void> {
    const body = JSON.stringify({ order: crypto.randomUUID() })
    const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
    signatures.push(signed.auth.signature)
    const copies = slots.flatMap((slot) =>
      Array.from({ length: COPIES_EACH }, () => sendTo(slot, signed)),
    )
    await Promise.all(copies)
  }

  /** Sends a copy until something is said of it for good: a connection that breaks says nothing. */
  async function sendTo(slot: Slot, signed: ReturnType<typeof envelope>): Promise<void> {
    for (let waitMs = 60; ; ) {
      await Bun.sleep(Math.random() * waitMs)
      const sending = slot.instance()?.relay(signed)
      const answer = await sending?.catch(() => null)
      if (!answer) continue
      const { status, body } = answer
      const outcome = status === 200 ? 'answered' : (body.code ?? String(status))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (outcome !== 'store_unavailable') return
      // Which is to be tried again in a moment: later each time, so that what a slow machine has to do becomes less.
      waitMs = Math.min(Math.max(1000, 2 * waitMs), 16_000)
    }
  }

  beforeAll(async () => {
    const doomed = executions([server, valkey, ...slots])
    const each = Math.ceil(WRITES / doomed.length)
    const sent: Promise<void>[] = []
    const away = new Map<Victim, Promise<void>>()
    for (const [at, victim] of doomed.entries()) {
      sent.push(...writes.slice(at * each, (at + 1) * each).map(sendEverywhere))
      await away.get(victim)
      away.set(victim, killed(victim))
      // One more may go before this one is back.
      await Bun.sleep(Math.random() * 2 * NEXT_AFTER_MS)
    }
    await Promise.all([...away.values(), ...sent])
    if (TIMES > 1) await Bun.write(Bun.stdout, `${doomed.length} kills, ${expected(outcomes)}\n`)
  }, 900_000)

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
    const [answered = 0, unknown = 0] = known.map((outcome) => outcomes.get(outcome))
    expect(answered + unknown).toBe(WRITES * INSTANCES * COPIES_EACH)
  })

  test('every instance goes on when all are back', async () => {
    for (const { instance } of slots) {
      await instance()?.sees('postgres', 'back')
      // A busy machine may take longer for a new connection than a claim waits.
      await until(async () => {
        const body = JSON.stringify({ order: crypto.randomUUID() })
        const answer = await instance()?.relay({ method: 'POST', path: '/v1/order', body })
        expect([200, 503]).toContain(answer?.status ?? 0)
        return answer?.status === 200
      })
    }
  })
})
