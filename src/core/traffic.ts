import type { InstanceRow, Minute } from '../contract/console/figures.ts'

/** Stores the traffic of the last day and the list of registered instances. Throws Failure `store_unavailable`. */
export type TrafficStore = {
  /**
   * Adds minutes of an instance, renews its registration and deletes minutes older than a day. A stored minute stays
   * unchanged.
   */
  readonly add: (instance: InstanceRow, minutes: readonly Minute[]) => Promise<void>
  /** The minutes of an instance that ended after `sinceMs`, oldest first. */
  readonly minutes: (instance: string, sinceMs: number) => Promise<readonly Minute[]>
  /** The instances that share the store, by name; empty for a single process. */
  readonly instances: () => Promise<readonly InstanceRow[]>
  /** Removes the registration of a stopped instance. */
  readonly leave: (instance: string) => Promise<void>
}
