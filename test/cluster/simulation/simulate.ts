import { FAULTS, MEETINGS } from './meetings.ts'
import { NOBODY_WRITES } from './mutants.ts'
import { newWay } from './postgres-model.ts'
import { CLOCK_MS, type Cluster, createCluster, type Setup } from './schedule.ts'

/** Something that happens at a moment of a schedule. */
export type Step = {
  readonly atMs: number
  readonly what: string
  readonly run: (cluster: Cluster) => unknown
}

export type Plan = {
  readonly setup: Setup
  readonly steps: readonly Step[]
  /** Signs how far ahead of the time. */
  readonly aheadMs: (random: () => number) => number
  readonly everyMs: number
  readonly callingMs: number
  /** An instance that has to take what is sent to it in this time, whatever happens to the others. */
  readonly undisturbed?: Period
  /** An instance that has to refuse everything in this time, because another server is written to. */
  readonly refused?: Period
  /** Whether the newest server has to report lost records, which the operator confirms. */
  readonly isLoss?: boolean
}

/** A time of an instance. */
type Period = { readonly member: number; readonly fromMs: number; readonly untilMs: number }

/** How a schedule ended: what was broken, and what has happened. */
export type Ended = {
  readonly wrong: readonly string[]
  /** The lines of `wrong` that a program that refuses every write cannot have. */
  readonly sent: readonly string[]
  readonly lines: readonly string[]
  readonly answers: Cluster['answers']
  readonly texts: number
}

const RESENDS = 3
const RESEND_WITHIN_MS = 12_000
/** Longer than any text may lie ahead, and than any wait of the rule. */
const HEALED_MS = 330_000
const SOON_MS = 12_000
/** A process that stood still is noticed, and its heartbeats are in time. */
const JUMP_MS = 60_000
const BETWEEN_MS = 4000
const FRESH_MS = 3000

/** Runs a schedule to its end, heals everything, and judges what has arrived at the venue. Throws what a step threw. */
export async function simulate(seed: number, plan: Plan): Promise<Ended> {
  const cluster = createCluster(seed, plan.setup)
  const { time, members, note } = cluster
  for (const at of members.keys()) cluster.start(at)
  let texts = 0

  async function call(): Promise<void> {
    texts += 1
    const text = { identity: `t${texts}`, signedMs: signedAt(cluster, plan), sentMs: time.nowMs() }
    const asked = Array.from(
      { length: 1 + Math.floor(cluster.random() * RESENDS) },
      async (_, n) => {
        if (n > 0) await time.delay(cluster.random() ** 2 * RESEND_WITHIN_MS)
        return cluster.send(Math.floor(cluster.random() * members.length), text)
      },
    )
    await Promise.all(asked)
  }

  async function act(step: Step): Promise<void> {
    await time.delay(step.atMs)
    note(step.what)
    await step.run(cluster)
  }

  const failures: unknown[] = []
  const begun = (work: Promise<void>) => void work.catch((error) => failures.push(error))
  for (const step of plan.steps) begun(act(step))
  for (let atMs = 5000; atMs < plan.callingMs; atMs += plan.everyMs)
    begun(time.delay(atMs).then(call))
  await time.runUntil(plan.callingMs + RESEND_WITHIN_MS)
  if (failures.length > 0) {
    const lines = [`seed ${seed}: a step failed`, ...cluster.lines]
    throw new Error(lines.join('\n  '), { cause: failures[0] })
  }
  const sent = [...brokenTexts(cluster), ...unrefused(cluster, plan)]
  const broken = [...sent, ...untaken(cluster, plan), ...misreported(cluster, plan)]
  heal(cluster)
  const isWriting = (await writesAfter(cluster, SOON_MS)) || (await writesInTheEnd(cluster))
  const wrong = isWriting ? broken : [...broken, `${NOBODY_WRITES}: ${troubles(cluster)}`]
  for (const member of members) member.instance?.stop()
  return { wrong, sent, lines: cluster.lines, answers: cluster.answers, texts }
}

function signedAt({ time, random }: Cluster, { aheadMs }: Plan): number {
  return Math.round(CLOCK_MS + time.nowMs() - random() * 300 + aheadMs(random))
}

/** Texts that an undisturbed instance was sent, and that no instance took. */
function untaken({ answers }: Cluster, { undisturbed }: Plan): string[] {
  if (!undisturbed) return []
  const { member, fromMs, untilMs } = undisturbed
  const taken = new Set(answers.flatMap(({ text, code }) => (code === 'ok' ? text.identity : [])))
  return answers
    .filter((answer) => answer.member === member && answer.atMs < untilMs)
    .filter(({ text }) => text.sentMs >= fromMs && !taken.has(text.identity))
    .map(({ text, code }) => `${text.identity} was not taken by instance ${member}: ${code}`)
}

/** Texts that an instance did not refuse although it has to. */
function unrefused({ answers }: Cluster, { refused }: Plan): string[] {
  if (!refused) return []
  const { member, fromMs, untilMs } = refused
  return answers
    .filter((answer) => answer.member === member && answer.code !== 'store_unavailable')
    .filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
    .map(({ text, code }) => `${text.identity} was not refused by instance ${member}: ${code}`)
}

/** A loss of records that the newest server does not report, or reports although it is none. */
function misreported(cluster: Cluster, { isLoss }: Plan): string[] {
  const { recordsLostAtMs } = cluster.servers[newest(cluster)]?.data.row ?? {}
  const isReported = Number(recordsLostAtMs) > 0
  if (isLoss === undefined || isReported === isLoss) return []
  return [isLoss ? 'the lost records are not reported' : 'records are reported as lost']
}

/** Texts that arrived twice, and texts that arrived although every answer denies it. */
function brokenTexts({ arrived, answers }: Cluster): string[] {
  const codes = new Map<string, string[]>()
  for (const { text, code } of answers)
    codes.set(text.identity, [...(codes.get(text.identity) ?? []), code])
  return [...arrived].flatMap(([identity, times]) => {
    const given = codes.get(identity) ?? []
    if (times > 1) return [`${identity} arrived ${times} times: ${given.join(' ')}`]
    const isDenied = given.every((code) => code === 'store_unavailable')
    return isDenied ? [`${identity} arrived, although every answer denies it`] : []
  })
}

/** Ends every fault: each server, instance and way is there, and all reach one Valkey. */
function heal(cluster: Cluster): void {
  cluster.note('everything is healed')
  for (const server of cluster.servers) Object.assign(server, { isUp: true, isSynchronous: false })
  for (const valkey of cluster.valkeys) valkey.isUp = true
  for (const [at, member] of cluster.members.entries()) {
    for (const way of [...member.ways, member.toValkey]) Object.assign(way, newWay())
    Object.assign(member, { valkey: 0, frozenUntilMs: 0, named: newest(cluster) })
    cluster.start(at)
  }
}

/** Whether an instance takes a new text after so long. */
async function writesAfter(cluster: Cluster, ms: number): Promise<boolean> {
  await cluster.time.runUntil(cluster.time.nowMs() + ms)
  return (await freshAnswers(cluster)).includes('ok')
}

/** The same after the longest wait of the rule, of which every process stands still most of the time: that saves half of all cost. */
async function writesInTheEnd(cluster: Cluster): Promise<boolean> {
  const { time } = cluster
  for (const untilMs = time.nowMs() + HEALED_MS; time.nowMs() < untilMs; ) {
    time.jump(JUMP_MS)
    await time.runUntil(time.nowMs() + BETWEEN_MS)
  }
  return writesAfter(cluster, SOON_MS)
}

/** The place of the newest server that takes writes. */
function newest({ servers }: Cluster): number {
  const timelines = servers.map(({ follows, timeline }) => (follows ? 0 : timeline))
  return timelines.indexOf(Math.max(...timelines))
}

async function freshAnswers(cluster: Cluster): Promise<readonly string[]> {
  const { time, members } = cluster
  const codes: string[] = []
  const asked = members.map(async (_, at) => {
    const signedMs = CLOCK_MS + time.nowMs()
    codes.push(
      await cluster.send(at, {
        identity: `fresh ${at} ${signedMs}`,
        signedMs,
        sentMs: time.nowMs(),
      }),
    )
  })
  await time.runUntil(time.nowMs() + FRESH_MS)
  await Promise.all(asked)
  return codes
}

function troubles({ members }: Cluster): string {
  return members.map(({ instance }) => instance?.trouble() ?? 'no trouble').join(' · ')
}

const SETUPS: readonly Omit<Setup, 'clockAheadMs' | 'fencing'>[] = [
  { instances: 2, standbys: 1, hosts: 'all', isSynchronous: false },
  { instances: 2, standbys: 1, hosts: 'one', isSynchronous: false },
  { instances: 3, standbys: 2, hosts: 'all', isSynchronous: false },
  { instances: 2, standbys: 1, hosts: 'all', isSynchronous: true },
  { instances: 2, standbys: 0, hosts: 'all', isSynchronous: false },
]
const AHEAD_MS = [0, 0, 0, 1000, 3000, 120_000] as const
const CLOCK_AHEAD_MS = [0, 0, 5000, 25_000] as const
const STEPS_MAX = 6
const MEETINGS_SHARE = 0.7
const CALLING_MS = 22_000

/** The schedule of a seed. */
export function planOf(seed: number, random: () => number): Plan {
  const pick = <Row>(rows: readonly Row[]): Row | undefined =>
    rows[Math.floor(random() * rows.length)]
  const [setup = SETUPS[0]] = [pick(SETUPS)]
  const aheads = [pick(AHEAD_MS) ?? 0, pick(AHEAD_MS) ?? 0]
  const some = Array.from({ length: 1 + Math.floor(random() * STEPS_MAX) }, () => {
    const fault = pick(FAULTS)
    const atMs = 6000 + Math.floor(random() * (CALLING_MS - 8000))
    return fault ? [{ atMs, ...fault(random) }] : []
  })
  const met = random() < MEETINGS_SHARE ? (pick(MEETINGS) ?? []) : []
  const fromMs = 6000 + Math.floor(random() * (CALLING_MS - 14_000))
  const meeting = met.map(([withinMs, fault]) => ({
    atMs: fromMs + Math.floor(random() * withinMs),
    ...fault(random),
  }))
  const steps = [...meeting, ...some.slice(met.length > 0 ? STEPS_MAX / 2 : 0)]
  if (!setup) throw new RangeError(`no setup for ${seed}`)
  return {
    setup: { ...setup, fencing: 'prepd', clockAheadMs: pick(CLOCK_AHEAD_MS) ?? 0 },
    ...{ steps: steps.flat(), everyMs: 300, callingMs: CALLING_MS },
    aheadMs: (own) => aheads[Math.floor(own() * aheads.length)] ?? 0,
  }
}
