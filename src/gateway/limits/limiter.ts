import { LIMITS, type Policy, type PolicyName } from '../../contract/limits.ts'
import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { admittedAtMs, decide, type WindowDecision } from './gcra.ts'
import { type LimitRules, NO_RULES } from './rules.ts'
import { type NamedPolicy, type RateVerdict, toRateVerdict, unlimited } from './verdict.ts'
import { createWindowAdmin, rowKey, type WindowAdmin } from './window-admin.ts'
import { createWindowTable, type Shard, type WindowTable } from './window-table.ts'

/** Rate windows by policy and key, decided in memory and written behind. */
export type Limiter = WindowAdmin &
  WriteBehind & {
    /** Takes one request from a window. A policy that is off admits every caller and stores no window. */
    readonly charge: (policy: PolicyName, key: string) => RateVerdict
    /** Takes one request from a window like `charge`. Returns the verdict of a refusal, null for an admission. */
    readonly refusal: (policy: PolicyName, key: string) => RateVerdict | null
    /** The policy that counts a key; undefined without a limit. */
    readonly policyOf: (policy: PolicyName, key: string) => NamedPolicy | undefined
    /** Sets the debt of a window, in units of 1/requests of a millisecond. */
    readonly owe: (row: string, debt: number, policy: Policy) => void
    /** Whether the operator refuses every request of a caller. */
    readonly isBlocked: LimitRules['isBlocked']
    /** Windows held in memory. */
    readonly size: () => number
  }

export type LimiterOptions = {
  readonly clock: Clock
  /** A policy that is missing is off. */
  readonly policies: Partial<Record<PolicyName, Policy>>
  readonly store: Store['windows']
  readonly keysMax: number
  readonly rules?: LimitRules
  /**
   * Receives each request that was counted here, and whether it was admitted, where other instances count the same
   * windows. The debt may then exceed a burst. The clock of such a limiter never steps back.
   */
  readonly counted?: (row: string, policy: NamedPolicy, admitted: boolean, nowMs: number) => void
}

/**
 * The limiter. At most `keysMax` windows are held: past ones give way first, then new keys share overflow windows. A
 * live debt is never forgotten to make room.
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
  const chargeOverflow = createOverflow()

  const policyOf = policyFinder(namePolicies(policies), rules)

  function charge(name: PolicyName, key: string): RateVerdict {
    const policy = policyOf(name, key)
    if (!policy) return unlimited(name)
    const nowMs = clock.nowMs()
    const { row, shard } = findWindow(name, key)
    const owedMs = shard.get(row)
    const decision = decide(owedMs, nowMs, policy, isShared)
    counted?.(row, policy, decision.allowed, nowMs)
    // A refusal changes nothing, unless the clock went back: the debt then starts over from a full one.
    if (!decision.allowed && !isAhead(owedMs, decision)) return toRateVerdict(decision, policy)
    if (owedMs !== undefined) shard.renew(row, decision.atMs)
    else if (!shard.set(row, decision.atMs, nowMs)) return chargeOverflow(policy, key, nowMs)
    return toRateVerdict(decision, policy)
  }

  // The common case is an admitted request in a known window. Its verdict is never read, so this path skips it.
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
    ...createWindowAdmin({ clock, store, table, policyOf, isShared }),
    ...createWriteBehind({ clock, store, table, keysMax }),
    size: table.size,
  }
}

/** The windows that new keys share when the table is full. They are many, so that one caller fills few of them. */
function createOverflow(): (policy: NamedPolicy, key: string, nowMs: number) => RateVerdict {
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

/** Whether a window's time is further ahead than a full debt, by more than rounding. */
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

/** The policy that counts a key; undefined without a limit. */
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

/** The location of a window: the key of its row, and the part of the table that holds it. */
type HeldWindow = { readonly row: string; readonly shard: Shard }

/** Finds windows by policy and key. A search costs more than a charge, so recently used windows are remembered. */
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

/** How rate windows outlive the process. */
type WriteBehind = {
  /**
   * Looks at up to `rowsMax` windows that changed and writes those still in debt; returns how many it wrote. Call it
   * each second, and with Infinity before stopping. Throws the store's error; the unwritten windows are tried again.
   */
  readonly flush: (rowsMax: number) => number
  /** Loads the stored windows that are still in debt; returns how many. */
  readonly load: () => number
}

type WriteBehindOptions = {
  readonly clock: Clock
  readonly store: Store['windows']
  readonly table: WindowTable
  readonly keysMax: number
}

/** Writes the windows of a table to the store. */
function createWriteBehind({ clock, store, table, keysMax }: WriteBehindOptions): WriteBehind {
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
