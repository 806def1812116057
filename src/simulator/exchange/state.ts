import type { EntityJournal } from './journal.ts'
import type { Simulation } from './simulation.ts'

/** A trading key that a wallet bound to an account. */

export type Key = {
  readonly id: number
  readonly accountId: string
  readonly publicKey: string
  readonly scope: string
  /** When the key expires, by the venue's clock. */
  readonly expiresAtMs: number
  /**
   * The time at which the key expires, by the clock of the key's message. Absent if this clock is the venue's clock.
   */
  readonly expirationMs?: number
  readonly tag: string | null
  /** The time at which the key was removed. A removed key stays stored, so that it cannot be bound again. */
  readonly removedAtMs?: number
}

export type AccountProfile = {
  readonly accountId: string
  readonly userId: number
  readonly address: string
  readonly brokerId: string
  readonly createdAtMs: number
  /** A sub-account's main account and description. */
  readonly main?: string
  readonly description?: string
}

/** The profile and the keys of a registered account. Its balances and positions are in the engine. */
export type Registration = {
  readonly profile: AccountProfile
  readonly keys: Map<string, Key>
}

export type Counters = {
  /** The last number that a user or a key got. */
  sequence: number
  /** How many random numbers have been drawn from the seed. */
  draws: number
}

/** Work at given times of the venue's clock, in addition to the world's events. */
export type Schedule = {
  /** The time at which the next item is due; null without an item. */
  readonly nextMs: () => number | null
  /** Performs the next item. */
  readonly perform: () => void
}

/** The whole state of the embedded venue: registered accounts, and the simulation in which they trade. */
export type VenueState = {
  readonly journal: EntityJournal
  readonly counters: Counters
  readonly accounts: Map<string, Registration>
  /** Unused registration nonces with their expiry times. */
  readonly nonces: Map<string, number>
  /** The simulation. The first call builds it. */
  readonly simulation: () => Simulation
  /** Sets the schedule. The world does not pass the time of an item before the item has been performed. */
  readonly follow: (schedule: Schedule) => void
  /** Whether the simulation has been built. */
  readonly isOpen: () => boolean
  /** Calls a hook as soon as the simulation has been built. */
  readonly whenOpen: (hook: () => void) => void
  /** Advances a built simulation to a time, or until `isOver` is true. Returns whether it got to the time. */
  readonly advance: (nowMs: number, isOver?: () => boolean) => boolean
  /**
   * Writes all changes in one transaction. If the store throws, the next commit writes them. Also stores a snapshot of
   * the world if one is due.
   */
  readonly commit: () => void
  /** Writes all changes and a snapshot of the world. */
  readonly save: () => void
}

/** An account without keys. */
export function emptyAccount(profile: AccountProfile): Registration {
  return { profile, keys: new Map() }
}

/** The next unique number. Users and keys share one sequence. */
export function nextVenueId({ counters }: Pick<VenueState, 'counters'>): number {
  counters.sequence += 1
  return counters.sequence
}
