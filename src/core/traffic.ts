import type { InstanceRow, Minute } from '../contract/console/figures.ts'

/** What instances did in the last day, and which of them there are. Throws Failure `store_unavailable`. */
export type TrafficStore = {
  /** Adds minutes of an instance, notes that it is there, and forgets what is older than a day. A stored minute stays. */
  readonly add: (instance: InstanceRow, minutes: readonly Minute[]) => Promise<void>
  /** The minutes of an instance that ended after a moment, the oldest first. */
  readonly minutes: (instance: string, sinceMs: number) => Promise<readonly Minute[]>
  /** The instances that share the store, by name; none where one process has it alone. */
  readonly instances: () => Promise<readonly InstanceRow[]>
  /** Forgets that an instance is there, which has stopped. */
  readonly leave: (instance: string) => Promise<void>
}
