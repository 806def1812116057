import { LIMITS, type Policy, type PolicyName } from '../../contract/limits.ts'
import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'
import { Failure } from '../../core/failure.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { admittedAtMs, decide, type WindowDecision } from './gcra.ts'
import { type NamedPolicy, type RateVerdict, toRateVerdict, unlimited } from './verdict.ts'
import { createWindowAdmin, rowKey, type WindowAdmin } from './window-admin.ts'
import { createWindowTable, type Shard, type WindowTable } from './window-table.ts'

/** Rate windows by policy and key. Decisions are made in memory and written to the store later. */
export type Limiter = WindowAdmin &
  ReturnType<typeof createWriteBehind> & {
    /** Takes one request from a window. A policy that is off admits every caller and stores no window. */
    readonly charge: (policy: PolicyName, key: string) => RateVerdict
    /** Charges like `charge`, but returns null for an admitted request. */
    readonly refusal: (policy: PolicyName, key: string) => RateVerdict | null
    /** The policy that applies to a key; undefined without a limit. */
    readonly policyOf: (policy: PolicyName, key: string) => NamedPolicy | undefined
    /** Sets the debt of a window, in units of 1/requests of a millisecond. */
    readonly owe: (row: string, debt: number, policy: Policy) => void
    /** Whether the operator has blocked a caller. */
    readonly isBlocked: LimitRules['isBlocked']
    /** The number of windows in memory. */
    readonly size: () => number
  }

export type LimiterOptions = {
  readonly clock: Clock
  /** A missing policy is off. */
  readonly policies: Partial<Record<PolicyName, Policy>>
  readonly store: Store['windows']
  readonly keysMax: number
  readonly rules?: LimitRules
  /**
   * Called with each request that was charged here. Set if other instances share the windows; then a debt may exceed a
   * burst, and the clock must be monotonic.
   */
  readonly counted?: (row: string, policy: NamedPolicy, admitted: boolean, nowMs: number) => void
}

/**
 * Creates a limiter with at most `keysMax` windows. To make room, only windows without debt are evicted; when all have
 * debt, new keys share overflow windows.
 */
export function createLimiter({
  clock,
  policies,
  store,
  keysMax,
  rules = NO_RULES,
  counted,
}: LimiterOptions): Limiter {
  const isShared = counted !== undefined
  const table = createWindowTable(keysMax)
  const findWindow = createWindowFinder(table)
  const chargeOverflow = createOverflowWindows()

  const policyOf = policyFinder(namePolicies(policies), rules)

  function charge(name: PolicyName, key: string): RateVerdict {
    const policy = policyOf(name, key)
    if (!policy) return unlimited(name)
    const nowMs = clock.nowMs()
    const { row, shard } = findWindow(name, key)
    const owedMs = shard.get(row)
    const decision = decide(owedMs, nowMs, policy, isShared)
    counted?.(row, policy, decision.allowed, nowMs)
    // A refusal is not stored, unless the clock went back: the debt is then reset to a full burst.
    if (!decision.allowed && !isAhead(owedMs, decision)) return toRateVerdict(decision, policy)
    if (owedMs !== undefined) shard.renew(row, decision.atMs)
    else if (!shard.set(row, decision.atMs, nowMs)) return chargeOverflow(policy, key, nowMs)
    return toRateVerdict(decision, policy)
  }

  // Fast path: an admitted request in a known window needs no verdict.
  function refusal(name: PolicyName, key: string): RateVerdict | null {
    const policy = policyOf(name, key)
    if (!policy) return null
    const nowMs = clock.nowMs()
    const { row, shard } = findWindow(name, key)
    const owedMs = shard.get(row)
    const atMs = owedMs === undefined ? null : admittedAtMs(owedMs, nowMs, policy, isShared)
    if (atMs === null) return refusedVerdict(charge(name, key))
    counted?.(row, policy, true, nowMs)
    shard.renew(row, atMs)
    return null
  }

  function owe(row: string, debt: number, policy: Policy): void {
    const nowMs = clock.nowMs()
    const shard = table.shardOf(row)
    if (debt > 0) shard.set(row, nowMs + debt / policy.requests, nowMs)
    else shard.drop(row)
  }

  return {
    charge,
    refusal,
    policyOf,
    owe,
    isBlocked: rules.isBlocked,
    ...createWindowAdmin({ clock, store }, table, policyOf, isShared),
    ...createWriteBehind({ clock, store }, table, keysMax),
    size: table.size,
  }
}

/**
 * When the table is full, charges new keys to shared overflow windows. Their number is large, so that one caller
 * affects few other callers.
 */
function createOverflowWindows(): (policy: NamedPolicy, key: string, nowMs: number) => RateVerdict {
  const times = new Map<string, number>()
  return (policy, key, nowMs) => {
    const window = `${policy.name} ${Bun.hash.wyhash(key) % BigInt(LIMITS.overflowWindows)}`
    const decision = decide(times.get(window), nowMs, policy)
    times.set(window, decision.atMs)
    return toRateVerdict(decision, policy)
  }
}

function refusedVerdict(verdict: RateVerdict): RateVerdict | null {
  return verdict.allowed ? null : verdict
}

/** Whether a window's stored time is ahead of the decision's by more than a rounding error. */
function isAhead(owedMs: number | undefined, { atMs }: WindowDecision): boolean {
  return owedMs !== undefined && owedMs - atMs > 1
}

function namePolicies(policies: LimiterOptions['policies']): Map<PolicyName, NamedPolicy> {
  const named = new Map<PolicyName, NamedPolicy>()
  let name: PolicyName
  for (name in policies) {
    const policy = policies[name]
    if (policy) named.set(name, { ...policy, name })
  }
  return named
}

/** The policy that applies to a key; undefined without a limit. */
function policyFinder(
  named: ReadonlyMap<PolicyName, NamedPolicy>,
  rules: LimitRules,
): (name: PolicyName, key: string) => NamedPolicy | undefined {
  return (name, key) => {
    const own = rules.ownPolicy(name, key)
    if (own === undefined) return named.get(name)
    return own === null ? undefined : { ...own, name }
  }
}

/** The row key of a window, and the shard of the table that holds it. */
type HeldWindow = { readonly row: string; readonly shard: Shard }

/** Finds windows by policy and key. Remembers recently used windows, because finding one costs more than charging it. */
function createWindowFinder({
  shardOf,
}: Pick<WindowTable, 'shardOf'>): (name: PolicyName, key: string) => HeldWindow {
  const lately: Partial<Record<PolicyName, BoundedMap<string, HeldWindow>>> = {}

  function found(name: PolicyName, key: string): HeldWindow {
    const row = rowKey(name, key)
    const place = { row, shard: shardOf(row) }
    lately[name] ??= createBoundedMap(LIMITS.windowsKnownMaxChars)
    lately[name].put(key, place, row.length)
    return place
  }

  return (name, key) => lately[name]?.get(key) ?? found(name, key)
}

/** Writes the windows of a table to the store, so that they outlive the process. */
function createWriteBehind(
  { clock, store }: Pick<LimiterOptions, 'clock' | 'store'>,
  table: WindowTable,
  keysMax: number,
) {
  /**
   * Writes changed windows that are still in debt, after looking at up to `rowsMax`. Returns the number of written
   * windows. Call it every second, and with Infinity before stopping. Throws the store's error; unwritten windows are
   * retried.
   */
  function flush(rowsMax: number): number {
    const nowMs = clock.nowMs()
    table.sweepNext(nowMs)
    const rows = table.takeChanged(rowsMax, nowMs)
    if (rows.length === 0) return 0
    try {
      store.save(rows)
    } catch (error) {
      for (const { key } of rows) table.shardOf(key).markChanged(key)
      throw error
    }
    return rows.length
  }

  /** Loads the stored windows that are still in debt; returns how many. */
  function load(): number {
    const nowMs = clock.nowMs()
    let loaded = 0
    for (const { key, atMs } of store.load(nowMs)) {
      if (!table.shardOf(key).set(key, atMs, nowMs)) continue
      loaded += 1
      if (loaded >= keysMax) break
    }
    return loaded
  }

  return { flush, load }
}

/** The operator's rules for single callers, evaluated on each request. */
export type LimitRules = {
  /** Whether a caller is blocked. */
  readonly isBlocked: (key: string) => boolean
  /** The limit that replaces a key's policy; null: no limit, undefined: the policy applies. */
  readonly ownPolicy: (policy: PolicyName, key: string) => Policy | null | undefined
}

/** Throws Failure forbidden for a caller, wallet or account that the operator has blocked. */
export function assertNotBlocked({ isBlocked }: Pick<LimitRules, 'isBlocked'>, key: string): void {
  if (isBlocked(key)) throw new Failure('forbidden', { reason: 'blocked' })
}

const NO_RULES: LimitRules = { isBlocked: () => false, ownPolicy: () => undefined }

/** Rate windows, counted by this process alone or shared with other instances. */
export type RateWindows = Pick<
  Limiter,
  'charge' | 'refusal' | 'isBlocked' | 'flush' | 'load' | 'size' | 'list'
> & {
  /** Charges one request to a window that all instances share. */
  readonly take: (policy: PolicyName, key: string) => RateVerdict | Promise<RateVerdict>
  /** The state of one window, without a charge. */
  readonly show: (policy: PolicyName, key: string) => Promise<RateVerdict>
  /** Resets one window, also in the store and in the shared engine. */
  readonly forget: (policy: PolicyName, key: string) => Promise<void>
  /** Exchanges the admitted requests with the other instances; null for a single instance. */
  readonly reconcile: (() => Promise<void>) | null
}

/** The windows of a single instance. */
export function localRateWindows(limiter: Limiter): RateWindows {
  return {
    ...limiter,
    take: limiter.charge,
    show: async (...of) => limiter.show(...of),
    forget: async (...of) => limiter.forget(...of),
    reconcile: null,
  }
}
