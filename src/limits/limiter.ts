import type { Clock, Store } from '../core/ports.ts'
import type { Policy, PolicyName } from '../spec/limits.ts'
import { type Decision, decide } from './gcra.ts'
import { type LimitRules, NO_RULES } from './rules.ts'
import { type NamedPolicy, unlimited, type Verdict, verdictOf } from './verdict.ts'
import { createWindowDesk, rowKey, type WindowDesk } from './window-desk.ts'
import { createWindowTable } from './window-table.ts'

/** Rate windows by policy and key, decided in memory and written behind. */
export type Limiter = WindowDesk & {
  /** Takes one request from a window. A policy that is off admits everyone and remembers nobody. */
  readonly charge: (policy: PolicyName, key: string) => Verdict
  /** Whether the operator refuses every request of a caller. */
  readonly isBlocked: LimitRules['isBlocked']
  /**
   * Looks at up to `rowsMax` windows that changed and writes those still in debt; answers how many it wrote. Call it
   * each second, and with Infinity before stopping. What could not be written is tried again; the error is thrown.
   */
  readonly flush: (rowsMax: number) => number
  /** Takes up the stored windows still in debt; answers how many. */
  readonly load: () => number
  /** Windows held in memory. */
  readonly size: () => number
}

type Parts = {
  readonly clock: Clock
  /** A policy that is missing is off. */
  readonly policies: Partial<Record<PolicyName, Policy>>
  readonly store: Store['windows']
  readonly keysMax: number
  readonly rules?: LimitRules
}

/**
 * The limiter. At most `keysMax` windows are held: past ones give way first, then newcomers share one overflow window
 * a policy; a live debt is never forgotten to make room.
 */
export function createLimiter({
  clock,
  policies,
  store,
  keysMax,
  rules = NO_RULES,
}: Parts): Limiter {
  const table = createWindowTable(keysMax)
  const overflow = new Map<PolicyName, number>()

  const policyOf = policyFinder(namePolicies(policies), rules)

  function charge(name: PolicyName, key: string): Verdict {
    const policy = policyOf(name, key)
    if (!policy) return unlimited(name)
    const nowMs = clock.nowMs()
    const row = rowKey(name, key)
    const shard = table.shardOf(row)
    const owedMs = shard.get(row)
    const decision = decide(owedMs, nowMs, policy)
    // A refusal changes nothing, unless the clock went back: the debt then starts over from a full one.
    if (!decision.allowed && !isAhead(owedMs, decision)) return verdictOf(decision, policy)
    if (shard.set(row, decision.atMs, nowMs)) return verdictOf(decision, policy)
    return chargeOverflow(policy, nowMs)
  }

  function chargeOverflow(policy: NamedPolicy, nowMs: number): Verdict {
    const decision = decide(overflow.get(policy.name), nowMs, policy)
    overflow.set(policy.name, decision.atMs)
    return verdictOf(decision, policy)
  }

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

  return {
    charge,
    isBlocked: rules.isBlocked,
    ...createWindowDesk({ clock, store, table, policyOf }),
    flush,
    load,
    size: table.size,
  }
}

/** Whether a window's time is further ahead than a full debt, by more than rounding. */
function isAhead(owedMs: number | undefined, { atMs }: Decision): boolean {
  return owedMs !== undefined && owedMs - atMs > 1
}

function namePolicies(policies: Parts['policies']): Map<PolicyName, NamedPolicy> {
  const named = new Map<PolicyName, NamedPolicy>()
  let name: PolicyName
  for (name in policies) {
    const policy = policies[name]
    if (policy) named.set(name, { ...policy, name })
  }
  return named
}

/** Which policy counts a key; undefined is none. */
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
