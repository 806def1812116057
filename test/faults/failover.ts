import { envelope, newCaller } from '../caller.ts'
import { startInstances } from '../cluster/instances.ts'
import { until } from '../cluster/processes.ts'
import { startReplicated } from '../cluster/replicated.ts'
import { startValkey } from '../cluster/valkey.ts'
import { headerOf, startRecordingUpstream } from '../recording-upstream.ts'

type Kind = 'async' | 'sync'

/** A failover of PostgreSQL while two instances get writes; times in milliseconds after the primary died. */
export type FailoverFigures = {
  /** When the first write that was signed afterwards was taken. */
  readonly firstTakenMs: number
  /** Writes that were signed afterwards and answered `outcome_unknown`, and when the last of them was signed. */
  readonly unknown: number
  readonly unknownUntilMs: number
  /** Writes that were signed afterwards and taken. */
  readonly taken: number
  readonly doubled: number
}

/** An instance writes again within this time, and from then on every write has an outcome within the second one. */
const FIRST_TAKEN_MAX_MS = 5000
const UNKNOWN_MAX_MS = 10_000
const BEHIND_MS = 2000
const CALM_MS = 1500
const AFTER_MS = 15_000
const SEND_EVERY_MS = 40

/** Whether the figures are within the bounds of an ordinary failover. */
export function isOrdinary(kind: Kind, figures: FailoverFigures): boolean {
  const { firstTakenMs, unknown, unknownUntilMs, doubled } = figures
  const isKnown = kind === 'sync' ? unknown === 0 : unknownUntilMs <= UNKNOWN_MAX_MS
  return doubled === 0 && isKnown && firstTakenMs <= FIRST_TAKEN_MAX_MS
}

/** Kills the primary, promotes its standby, which is two seconds behind unless every commit waits for it, and returns what callers saw. */
export async function failOver(kind: Kind): Promise<FailoverFigures> {
  const ends: (() => unknown)[] = []
  try {
    const [replicated, valkey, venue] = await Promise.all([
      startReplicated('async'),
      startValkey(),
      startRecordingUpstream(),
    ])
    ends.push(replicated.stop, valkey.stop, venue.stop)
    const { primary, standby, way, urlOf } = replicated
    if (kind === 'sync') await waitForStandby(primary)
    const shared = {
      postgres: urlOf([primary.port, standby.port]),
      ...{ valkey: valkey.url, venue: venue.url },
    }
    const instances = await startInstances(2, shared)
    ends.push(...instances.map(({ stop }) => stop))
    for (const { relay } of instances) await until(async () => (await relay(sign())).status === 200)

    const calls = keepSending(instances)
    await Bun.sleep(CALM_MS)
    if (kind === 'async') {
      way.cut()
      await Bun.sleep(BEHIND_MS)
    }
    await primary.kill()
    const diedMs = Date.now()
    await standby.ask('SELECT pg_promote()')
    await Bun.sleep(AFTER_MS)
    return figuresOf(await calls.end(), diedMs, arrivalsAt(venue))
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

type Answered = { readonly signedMs: number; readonly answeredMs: number; readonly code: string }
type Instances = Awaited<ReturnType<typeof startInstances>>

/** Sends new writes to the instances in turn; `end` stops that, and returns each answer. */
function keepSending(instances: Instances) {
  const sent: Promise<Answered>[] = []
  const timer = setInterval(() => {
    const instance = instances[sent.length % instances.length]
    if (instance) sent.push(answered(instance))
  }, SEND_EVERY_MS)
  return {
    end: () => {
      clearInterval(timer)
      return Promise.all(sent)
    },
  }
}

async function answered({ relay }: Instances[number]): Promise<Answered> {
  const signedMs = Date.now()
  const { status, body } = await relay(sign())
  return { signedMs, answeredMs: Date.now(), code: status === 200 ? 'ok' : String(body.code) }
}

/** After lost records, accounts may only cancel and reduce. */
function sign() {
  const body = JSON.stringify({
    ...{ symbol: 'PERP_ETH_USDC', order_type: 'MARKET', side: 'SELL', order_quantity: 1 },
    ...{ reduce_only: true, client_order_id: crypto.randomUUID() },
  })
  return envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
}

async function waitForStandby(primary: Awaited<ReturnType<typeof startReplicated>>['primary']) {
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = 'walreceiver'`)
  await primary.ask('SELECT pg_reload_conf()')
  await until(async () => {
    const [row] = await primary.ask('SELECT sync_state FROM pg_stat_replication')
    return row?.['sync_state'] === 'sync'
  })
}

function arrivalsAt({ requests }: Awaited<ReturnType<typeof startRecordingUpstream>>) {
  return requests
    .map((request) => headerOf(request, 'orderly-signature'))
    .filter((signature) => signature !== undefined)
}

function figuresOf(
  answers: readonly Answered[],
  diedMs: number,
  arrivals: readonly string[],
): FailoverFigures {
  const after = answers.filter(({ signedMs }) => signedMs > diedMs)
  const of = (wanted: string) => after.filter(({ code }) => code === wanted)
  const unknown = of('outcome_unknown').map(({ signedMs }) => signedMs - diedMs)
  const taken = of('ok').map(({ answeredMs }) => answeredMs - diedMs)
  return {
    firstTakenMs: Math.min(Number.POSITIVE_INFINITY, ...taken),
    ...{ unknown: unknown.length, unknownUntilMs: Math.max(0, ...unknown), taken: taken.length },
    doubled: arrivals.length - new Set(arrivals).size,
  }
}
