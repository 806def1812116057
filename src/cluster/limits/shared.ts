import type { Policy, PolicyName } from '../../contract/limits.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'
import { decision } from '../../gateway/limits/gcra.ts'
import {
  createLimiter,
  type LimiterOptions,
  type RateWindows,
} from '../../gateway/limits/limiter.ts'
import { type RateVerdict, toRateVerdict, unlimited } from '../../gateway/limits/verdict.ts'
import { rowKey } from '../../gateway/limits/window-admin.ts'
import { createPendingRows, createReconciler, type PushAdmittedRequests } from './reconcile.ts'

/**
 * The engine (Valkey) in which all instances count. Debts are in units of 1/requests of a millisecond. Throws
 * EngineAway.
 */
export type WindowEngine = {
  /** Charges one request to a window, exactly as a single process would. */
  readonly take: (
    row: string,
    policy: Policy,
  ) => Promise<{ readonly allowed: boolean; readonly debt: number }>
  readonly push: PushAdmittedRequests
  readonly forget: (row: string) => Promise<void>
}

/** `clock` must be monotonic. */
type SharedWindowsOptions = Omit<LimiterOptions, 'counted'> & {
  readonly engine: WindowEngine
  /** Maximum number of windows per push, and of windows that wait for a push. */
  readonly pushKeysMax: number
  readonly heldKeysMax: number
}

/** Rate windows that all instances share. */
export type SharedWindows = RateWindows & {
  readonly reconcile: () => Promise<void>
  /** Age of the oldest request that the engine has not counted yet, in milliseconds. */
  readonly lagMs: () => number
}

/**
 * The rate windows of one of several instances. - Reads are decided here without a call, and pushed to the engine
 * afterwards. Each instance can once admit one burst too much. In the long run, all instances together keep to the
 * rate. - All other requests are decided in the engine. While the engine is away, these requests are decided here, and
 * the admitted ones are pushed once it is back.
 */
export function createSharedWindows({
  engine,
  pushKeysMax: keysMax,
  heldKeysMax,
  ...parts
}: SharedWindowsOptions): SharedWindows {
  const { clock } = parts
  const pending = createPendingRows(heldKeysMax)
  const limiter = createLimiter({ ...parts, counted: pending.add })
  const { reconcile, look } = createReconciler({ clock, limiter, pending, ...engine, keysMax })

  async function takeFromEngine(name: PolicyName, key: string): Promise<RateVerdict> {
    const policy = limiter.policyOf(name, key)
    if (!policy) return unlimited(name)
    const row = rowKey(name, key)
    try {
      const { allowed, debt } = await engine.take(row, policy)
      limiter.owe(row, debt, policy)
      return toRateVerdict(decision(allowed, debt, clock.nowMs(), policy), policy)
    } catch (error) {
      reportUnexpected('valkey', error, EngineAway)
      return limiter.charge(name, key)
    }
  }

  async function show(name: PolicyName, key: string): Promise<RateVerdict> {
    const policy = limiter.policyOf(name, key)
    // While the engine is away, only this instance's own debt is known.
    if (policy)
      await look(rowKey(name, key), policy).catch(defaultOnFailure('valkey', undefined, EngineAway))
    return limiter.show(name, key)
  }

  async function forget(name: PolicyName, key: string): Promise<void> {
    await engine.forget(rowKey(name, key))
    pending.drop(rowKey(name, key))
    limiter.forget(name, key)
  }

  return {
    ...limiter,
    take: (name, key) => (name === 'read' ? limiter.charge(name, key) : takeFromEngine(name, key)),
    show,
    forget,
    reconcile,
    lagMs: () => clock.nowMs() - (pending.firstMs() ?? clock.nowMs()),
  }
}
