import type { VenueKind } from '../venue/kind.ts'
import type { LiveBooks } from '../venue/paper.ts'
import type { ChangeKind } from '../venue/shapes.ts'

/** A log line about one request, without data that identifies its caller. */
export type RequestLine = {
  readonly atMs: number
  readonly level: 'error' | 'warn' | 'info'
  readonly event: string
  readonly fields: Readonly<Record<string, string | number | boolean | null | undefined>>
}

/** A setting as displayed: `set` for a secret, `not set` for an absent value. */
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

/** A reason why the deployment is not healthy. `at` is the part of the console with the details. */
export type ConsoleReason = {
  readonly level: 'page' | 'warn'
  readonly title: string
  /** The measured figure as a sentence; '' without one. */
  readonly figure: string
  readonly action: string
  readonly at: ConsoleSection
  /** The tile at the top of the console that this reason colours. */
  readonly tile?: Tile
}

/** Tiles at the top of the console that are compared with a threshold. */
export type Tile = 'failed' | 'slowest' | 'venue' | 'loop'

/** The parts of the console that can be linked to. */
export type ConsoleSection =
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
  /** The number of answered requests since the start. `failed`: the number of failed requests. */
  readonly total: number
  readonly failed: number
  readonly hits: number
  readonly stale: number
  readonly misses: number
}

export type NamedCount = { readonly name: string; readonly count: number }

/** Metrics of a shared engine (database or Valkey), as this instance has measured them since it started. */
export type EngineFigures = {
  readonly name: string
  /** Why the last call failed; null after a success. `breaker`: the circuit breaker is open and no calls are made. */
  readonly fault: string | null
  readonly calls: number
  /** Upper bounds of the 50th and 99th percentile, from the metric's buckets. */
  readonly p50MaxMs: number | null
  readonly p99MaxMs: number | null
  readonly faults: readonly NamedCount[]
  /** How far the engine's clock is ahead of this machine's. */
  readonly clockSkewMs: number | null
  /** Age of the oldest counted read that is not yet reported to the engine; null for an engine without counted reads. */
  readonly lagMs: number | null
}

/** An answered refusal or failure, without address, account or body. */
export type ErrorRow = {
  readonly atMs: number
  readonly code: string
  readonly operation: string
  readonly requestId: string
}

/** The figures of one sampling period: requests, failures, 99th percentile, event loop delay, memory. */
export type Sample = readonly [
  atMs: number,
  requests: number,
  failed: number,
  p99Ms: number,
  loopDelayMs: number,
  residentBytes: number,
]

/** Stored figures of the period of `spanMs` that ends at `untilMs`. The 99th percentile is null without requests. */
export type Minute = readonly [
  untilMs: number,
  spanMs: number,
  requests: number,
  failed: number,
  p99Ms: number | null,
  loopDelayMs: number,
  residentBytes: number,
]

/** One of several instances, as it last registered itself. */
export type InstanceRow = {
  readonly name: string
  readonly version: string
  readonly sinceMs: number
  readonly seenMs: number
  /** Null if the instance did not report it. */
  readonly isReady: boolean | null
}

/**
 * `leader`: the instance that receives live data for all; null while no client subscribes. `isAway`: Valkey does not
 * answer, so each instance receives live data directly from the venue.
 */
export type FeedFigures = { readonly leader: string | null; readonly isAway: boolean }

/** The answer of `GET /console/traffic`: minutes of this instance after the requested time. */
export type ConsoleTraffic = { readonly minutes: readonly Minute[] }

/** A write of an agent, without its account. */
type AgentWriteRow = {
  readonly sequence: number
  readonly atMs: number
  readonly tool: string
  /** `unknown` if no outcome is recorded. */
  readonly outcome: string
}

/**
 * A token's maximum redeemed amount in 24 hours, and the amount that is still redeemable. `token` is the token's
 * position in the settings.
 */
type CapFigures = {
  readonly chainId: number
  readonly token: number
  readonly cap: string
  readonly redeemable: string
  /** Whether lost vouchers may use the rest of the cap, so that no new voucher is signed. */
  readonly isLost: boolean
}

/** A difference between answers of the live venue and the known shape. */
export type VenueChange = {
  /** An operation's id, or `relay.` and the relayed path with dots. */
  readonly operation: string
  readonly kind: ChangeKind
  /** A path of field names such as `rows[].symbol`. */
  readonly field: string
  /** The type of the answer's value; '' for a missing field. */
  readonly found: string
  /** Number of sampled answers with this difference. */
  readonly count: number
  readonly sinceMs: number
}

/** The answer of `GET /console/figures`. Null means that this deployment does not have the feature. */
export type ConsoleFigures = {
  readonly atMs: number
  readonly version: string
  readonly uptimeSeconds: number
  readonly venue: {
    readonly kind: VenueKind
    readonly nowMs: number
    /** Whether the venue's clock moves only by command. */
    readonly isVirtual: boolean
    /** Null while the venue answers; otherwise the missing part. */
    readonly missing: string | null
    readonly faults: number
    readonly changes: readonly VenueChange[]
    /** State of the live books behind practice trading. */
    readonly books: LiveBooks | null
  }
  readonly operations: readonly OperationFigures[]
  readonly refusals: readonly NamedCount[]
  readonly writes: readonly NamedCount[]
  /** The number of standby cancels per state. Ended standby cancels count for 30 days. */
  readonly standbys: readonly NamedCount[]
  /** Accounts with a mandate, per freezing party; `none` means not frozen. */
  readonly mandates: readonly NamedCount[]
  /** Approvals of the last two hours, by state. */
  readonly approvals: readonly NamedCount[]
  /** The newest entries of the agents' journal, newest first. */
  readonly agentWrites: readonly AgentWriteRow[]
  readonly upstream: Latency & { readonly total: number; readonly faults: readonly NamedCount[] }
  readonly memory: { readonly residentBytes: number; readonly heapBytes: number }
  readonly store: {
    /** Null with a shared database. */
    readonly fileBytes: number | null
    readonly logBytes: number | null
    /** Duration of the last wait for the disk; null before the first. */
    readonly syncMs: number | null
    /** Time of the last backup; 0 without one. */
    readonly backupAtMs: number | null
    readonly windows: number
  }
  readonly streams: { readonly open: number; readonly subscribers: number } | null
  readonly engines: readonly EngineFigures[] | null
  /** All instances that share the engines, including this one. */
  readonly instances: readonly InstanceRow[] | null
  /** The shared live data; null if each process connects to the venue. */
  readonly feed: FeedFigures | null
  /** The name of this instance. */
  readonly instance: string
  readonly vouchers: {
    readonly isPaused: boolean
    /** Whether the store may sign vouchers. After a loss of vouchers, it first has to be adopted. */
    readonly isAdopted: boolean
    readonly caps: readonly CapFigures[]
  } | null
  readonly swap: 'embedded' | 'live' | 'off'
  readonly errors: readonly ErrorRow[]
  /** Failures since the start by code, the most frequent first. */
  readonly codes: readonly NamedCount[]
  /** Reasons why the deployment is not healthy, worst first; empty when healthy. */
  readonly verdict: readonly ConsoleReason[]
  /** Null for a figure that does not exist or is unknown. */
  readonly machine: {
    readonly processId: number
    readonly certificateEndMs: number | null
    readonly freeBytes: number | null
    /** How far the venue's clock was ahead in its last answer. */
    readonly clockSkewMs: number | null
  }
  /** Samples after the requested time. */
  readonly samples: readonly Sample[]
  /** Whether an operator key is set. Actions need it. */
  readonly canAct: boolean
}
