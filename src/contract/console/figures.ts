import type { VenueKind } from '../venue/kind.ts'
import type { LiveBooks } from '../venue/paper.ts'
import type { ChangeKind } from '../venue/shapes.ts'

/** A log line about one request, without what identifies its caller. */
export type RequestLine = {
  readonly atMs: number
  readonly level: 'error' | 'warn' | 'info'
  readonly event: string
  readonly fields: Readonly<Record<string, string | number | boolean | null | undefined>>
}

/** A setting as people are shown it: the value of a secret is `set`, of one that was not given `not set`. */
export type ShownSetting = {
  readonly name: string
  readonly origin: 'flag' | 'environment' | 'file' | 'default'
  readonly value: string
}

/** One operator action: `fields` are its parameters, without secrets; `fingerprint` identifies the operator's key. */
export type AuditedAct = {
  readonly id: number
  readonly atMs: number
  readonly act: string
  readonly fields: Readonly<Record<string, string>>
  readonly fingerprint: string
}

/** Why not all is well. `at` is the part of the console that shows more of it. */
export type ConsoleReason = {
  readonly level: 'page' | 'warn'
  readonly title: string
  /** What it is judged by, as a sentence; '' without one. */
  readonly figure: string
  readonly action: string
  readonly at: ConsolePlace
  /** The figure at the top that it colours. */
  readonly tile?: Tile
}

/** Figures at the top of the console that are judged. */
export type Tile = 'failed' | 'slowest' | 'venue' | 'loop'

/** The parts of the console that can be linked to. */
export type ConsolePlace =
  | 'charts'
  | 'operations'
  | 'venue'
  | 'engines'
  | 'instances'
  | 'writes'
  | 'refusals'
  | 'state'
  | 'act'
  | 'vouchers'
  | 'failures'

/** Durations of one kind of call in the last hour, in milliseconds; null without calls. */
export type Latency = {
  readonly count: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

export type OperationFigures = Latency & {
  readonly name: string
  /** Answered since the start, and how many of those with a failure. */
  readonly total: number
  readonly failed: number
  readonly hits: number
  readonly stale: number
  readonly misses: number
}

export type Count = { readonly name: string; readonly count: number }

/** An engine that instances share, as this one has met it since it started: the figures of its metrics. */
export type EngineFigures = {
  readonly name: string
  /** Why the last call had no answer; null while it answers. `breaker` stands for calls that are not made. */
  readonly fault: string | null
  readonly calls: number
  /** Bounds, of the metric's buckets, that half of the calls and all but a hundredth did not pass. */
  readonly p50MaxMs: number | null
  readonly p99MaxMs: number | null
  readonly faults: readonly Count[]
  /** How far its clock is ahead. */
  readonly clockSkewMs: number | null
  /** How long ago the oldest read was counted that it does not know of; null for an engine that counts none. */
  readonly lagMs: number | null
}

/** One refusal or failure that was answered: no address, no account, no body. */
export type ErrorRow = {
  readonly atMs: number
  readonly code: string
  readonly operation: string
  readonly requestId: string
}

/** The figures of one period: requests, failures, slowest hundredth, loop delay, memory. */
export type Sample = readonly [
  atMs: number,
  requests: number,
  failed: number,
  p99Ms: number,
  loopDelayMs: number,
  residentBytes: number,
]

/** What happened in a minute, as the store keeps it: `spanMs` up to `untilMs`. There is no slowest hundredth of nothing. */
export type Minute = readonly [
  untilMs: number,
  spanMs: number,
  requests: number,
  failed: number,
  p99Ms: number | null,
  loopDelayMs: number,
  residentBytes: number,
]

/** An instance of several, as it last wrote of itself. */
export type InstanceRow = {
  readonly name: string
  readonly version: string
  readonly sinceMs: number
  readonly seenMs: number
  /** Null where it did not know. */
  readonly isReady: boolean | null
}

/** Nobody leads where nobody listens. While Valkey is away, each instance has the live data by itself. */
export type FeedFigures = { readonly leader: string | null; readonly isAway: boolean }

/** The answer of `GET /console/traffic`: minutes of this instance after the moment that was asked for. */
export type ConsoleTraffic = { readonly minutes: readonly Minute[] }

/** A write of an agent: no account. */
type AgentWriteRow = {
  readonly sequence: number
  readonly atMs: number
  readonly tool: string
  /** `unknown` where no outcome is recorded. */
  readonly outcome: string
}

/** What vouchers can redeem in 24 hours, and at most: of each capped token of each chain, by its place in the settings. */
type CapFigures = {
  readonly chainId: number
  readonly token: number
  readonly cap: string
  readonly redeemable: string
}

/** A difference between answers of the live venue and the shape that this release knows. */
export type VenueChange = {
  /** An operation's id, or `relay.` and the relayed path with dots. */
  readonly operation: string
  readonly kind: ChangeKind
  /** A path of field names such as `rows[].symbol`. */
  readonly field: string
  /** The type that was found; '' for a missing field. */
  readonly found: string
  /** In how many of the answers that were looked at. */
  readonly count: number
  readonly sinceMs: number
}

/** The answer of `GET /console/figures`. Null stands for what this deployment does not have. */
export type ConsoleFigures = {
  readonly atMs: number
  readonly version: string
  readonly uptimeSeconds: number
  readonly venue: {
    readonly kind: VenueKind
    readonly nowMs: number
    /** Whether its clock moves only by command. */
    readonly isVirtual: boolean
    /** Null while it answers, otherwise what is missing. */
    readonly missing: string | null
    readonly faults: number
    readonly changes: readonly VenueChange[]
    /** The live books that are practised on. */
    readonly books: LiveBooks | null
  }
  readonly operations: readonly OperationFigures[]
  readonly refusals: readonly Count[]
  readonly writes: readonly Count[]
  /** Standby cancels by what they are; those that ended, of the last thirty days. */
  readonly standbys: readonly Count[]
  /** Accounts with a mandate by who has frozen them; `none` for nobody. */
  readonly mandates: readonly Count[]
  /** Writes that owners of accounts are asked about, of the last two hours, by state. */
  readonly approvals: readonly Count[]
  /** The newest writes of agents, the newest first, as the journal has them. */
  readonly agentWrites: readonly AgentWriteRow[]
  readonly upstream: Latency & { readonly total: number; readonly faults: readonly Count[] }
  readonly memory: { readonly residentBytes: number; readonly heapBytes: number }
  readonly store: {
    /** Null where instances share their records. */
    readonly fileBytes: number | null
    readonly logBytes: number | null
    /** When it was last backed up; 0 where it never was. */
    readonly backupAtMs: number | null
    readonly windows: number
  }
  readonly streams: { readonly open: number; readonly subscribers: number } | null
  readonly engines: readonly EngineFigures[] | null
  /** All instances that share the engines, this one among them. */
  readonly instances: readonly InstanceRow[] | null
  /** Which of them has the live data of the venue for all; null where each process has its own. */
  readonly feed: FeedFigures | null
  /** What this one is called among them. */
  readonly instance: string
  readonly vouchers: { readonly isPaused: boolean; readonly caps: readonly CapFigures[] } | null
  readonly swap: 'embedded' | 'live' | 'off'
  readonly errors: readonly ErrorRow[]
  /** Failures since the start by code, the most frequent first. */
  readonly codes: readonly Count[]
  /** Why not all is well, what is worst first; none where all is. */
  readonly verdict: readonly ConsoleReason[]
  /** Null for what there is none of, or what is not known. */
  readonly machine: {
    readonly processId: number
    readonly certificateEndMs: number | null
    readonly freeBytes: number | null
    /** How far the venue's clock was ahead in its last answer. */
    readonly clockSkewMs: number | null
  }
  /** Those after the moment that was asked for. */
  readonly samples: readonly Sample[]
  /** Whether an operator key is set, without which nothing can be done here. */
  readonly canAct: boolean
}
