import { FAILURES } from '../../../src/contract/failures.ts'

/** One request of the load, and what became of it. */
export type Call = {
  readonly kind: CallKind
  readonly instance: number
  /** The signature of a write. */
  readonly identity?: string
  readonly fromMs: number
  readonly tookMs: number
  /** `ok`, the code of a failure, `cut`, `unanswered`, or the status of what is none of these. */
  readonly outcome: string
  /** Whether its connection had carried a request before. */
  readonly isKept: boolean
}

/** How long each kind of call may take; an answer is late a second after that. */
export const DEADLINES_MS = {
  'new write': 15_000,
  'repeated write': 15_000,
  cancellation: 15_000,
  'signed read': 10_000,
  'public read': 10_000,
} as const

export type CallKind = keyof typeof DEADLINES_MS

export const KINDS = Object.keys(DEADLINES_MS).filter(isKind)

function isKind(name: string): name is CallKind {
  return Object.hasOwn(DEADLINES_MS, name)
}

/** A time in which an instance had no descriptor for a new connection. */
export type Shortage = {
  readonly instance: number
  readonly fromMs: number
  readonly untilMs: number
}

/** How late a server that does nothing answered at a moment. */
export type Control = { readonly atMs: number; readonly lateMs: number }

/** A write that the venue received and may have carried out, and how it answered. */
export type Taken = { readonly atMs: number; readonly answered: string }

/** Everything that a storm left behind. */
export type Observed = {
  readonly calls: readonly Call[]
  /** Each write that the venue took, by signature. */
  readonly taken: ReadonlyMap<string, readonly Taken[]>
  readonly shortages: readonly Shortage[]
  readonly controls: readonly Control[]
  /** What is said of each instance that ended before it was asked to, or not with 0. */
  readonly exits: readonly string[]
  /** Log lines of errors that no code expected. */
  readonly unexpected: readonly string[]
  /** What an instance did not do once all faults were over. */
  readonly unrecovered: readonly string[]
  /** Resident memory of each instance, in MB, at equal distances. */
  readonly memoryMb: readonly (readonly number[])[]
}

/** One line of the judgement: what must not be, and every case of it. */
export type Finding = { readonly name: string; readonly cases: readonly string[] }

const LATE_MS = 1000
/** How soon new connections are accepted after the last descriptor is free. */
const RECOVERY_MS = 2000
/** A sixth of ten minutes each; shorter runs are still filling caches. */
const MEMORY_SAMPLES_MIN = 240
const GROWTH_MAX = 0.1

/** Everything that must not be after a storm, each with its cases. */
export function judge(observed: Observed): readonly Finding[] {
  const { calls, exits, unexpected, unrecovered } = observed
  return [
    { name: 'writes that reached the venue twice', cases: doubledOf(observed) },
    {
      name: 'writes answered as done that never reached the venue',
      cases: calls.filter((call) => isFalse(call, observed)).map(textOf),
    },
    { name: 'instances that ended by themselves', cases: exits },
    { name: 'errors that no code expected', cases: unexpected },
    {
      name: 'answers that are no answer of the closed list, or internal',
      cases: calls.filter(isStrange).map(textOf),
    },
    {
      name: 'calls without an answer',
      cases: calls.filter((call) => isLost(call, observed)).map(textOf),
    },
    {
      name: 'answers later than their deadline plus 1 s',
      cases: calls.filter((call) => isLate(call, observed)).map(textOf),
    },
    { name: 'instances that did not recover', cases: unrecovered },
    { name: 'instances whose memory grew by a tenth', cases: grownOf(observed) },
  ]
}

/** With everything that callers did with the same write. */
function doubledOf({ taken, calls }: Observed): readonly string[] {
  const doubled = [...taken].filter(([, times]) => times.length > 1)
  return doubled.map(([identity, times]) => {
    const answers = times.map(({ atMs, answered }) => `${secondsOf(atMs)}: answered ${answered}`)
    const same = calls.filter((call) => call.identity === identity).map(textOf)
    return [identity, ...answers, ...same].join('\n    ')
  })
}

function isFalse({ identity, outcome }: Call, { taken }: Observed): boolean {
  return identity !== undefined && outcome === 'ok' && !taken.has(identity)
}

function isAnswered({ outcome }: Call): boolean {
  return outcome !== 'cut' && outcome !== 'unanswered'
}

function isStrange(call: Call): boolean {
  if (!isAnswered(call) || call.outcome === 'ok') return false
  return call.outcome === 'internal' || !Object.hasOwn(FAILURES, call.outcome)
}

/** A new connection to an instance without descriptors need not be accepted. */
function isLost(call: Call, { shortages }: Observed): boolean {
  return !isAnswered(call) && (call.isKept || shortMs(call, shortages) === 0)
}

/** A new connection waits for a descriptor, and everything waits for a machine that is busy with something else. */
function isLate(call: Call, { shortages, controls }: Observed): boolean {
  const { kind, fromMs, tookMs, isKept } = call
  const overMs = tookMs - DEADLINES_MS[kind] - LATE_MS
  if (overMs <= 0 || !isAnswered(call)) return false
  const waitedMs = isKept ? 0 : shortMs(call, shortages)
  const meanwhile = controls.filter(
    ({ atMs }) => atMs >= fromMs && atMs <= fromMs + tookMs + LATE_MS,
  )
  return overMs > waitedMs + Math.max(0, ...meanwhile.map(({ lateMs }) => lateMs))
}

/** How much of a call its instance had no descriptors for. */
function shortMs({ instance, fromMs, tookMs }: Call, shortages: readonly Shortage[]): number {
  const overlaps = shortages
    .filter((shortage) => shortage.instance === instance)
    .map((shortage) => {
      const endMs = Math.min(fromMs + tookMs, shortage.untilMs + RECOVERY_MS)
      return Math.max(0, endMs - Math.max(fromMs, shortage.fromMs))
    })
  return overlaps.reduce((sum, ms) => sum + ms, 0)
}

function grownOf({ memoryMb }: Observed): readonly string[] {
  return memoryMb.flatMap((samples, instance) => {
    if (samples.length < MEMORY_SAMPLES_MIN) return []
    const { warmMb, endMb } = thirdsOf(samples)
    const figures = `${warmMb.toFixed(0)} MB in the second third, ${endMb.toFixed(0)} MB in the last`
    return endMb > warmMb * (1 + GROWTH_MAX) ? [`instance ${instance}: ${figures}`] : []
  })
}

/** The medians of the second and of the last third of some figures. */
export function thirdsOf(samples: readonly number[]): { warmMb: number; endMb: number } {
  const third = Math.floor(samples.length / 3)
  const middle = (part: readonly number[]) =>
    part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0
  return {
    warmMb: middle(samples.slice(third, 2 * third)),
    endMb: middle(samples.slice(2 * third)),
  }
}

function textOf({ kind, instance, outcome, fromMs, tookMs, isKept, identity }: Call): string {
  const on = isKept ? 'a kept' : 'a new'
  const write = identity === undefined ? '' : `, ${identity.slice(0, 8)}…`
  return `${secondsOf(fromMs)}: ${kind} at instance ${instance} on ${on} connection: ${outcome} after ${tookMs.toFixed(0)} ms${write}`
}

function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}
