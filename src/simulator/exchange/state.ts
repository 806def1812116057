import type { EntityJournal } from './journal.ts'
import type { Simulation } from './simulation.ts'

/** The profile and keys of accounts. Balances and positions are in the engine. */

export type Key = {
  readonly id: number
  readonly accountId: string
  readonly publicKey: string
  readonly scope: string
  /** On the venue's clock. */
  readonly expiresAtMs: number
  /** The expiry on the message's clock. Absent when that is the venue's clock. */
  readonly expirationMs?: number
  readonly tag: string | null
  /** The time of its removal. A removed key stays stored, so that it cannot be bound again. */
  readonly removedAtMs?: number
}

export type AccountProfile = {
  readonly accountId: string
  readonly userId: number
  readonly address: string
  readonly brokerId: string
  readonly createdAtMs: number
  /** For a sub-account: its main account and its description. */
  readonly main?: string
  readonly description?: string
}

/** A registered account's profile and keys. Balances and positions are the engine's. */
export type Registration = {
  readonly profile: AccountProfile
  readonly keys: Map<string, Key>
}

export type Counters = {
  /** The last number assigned to a user or a key. */
  sequence: number
  /** The number of random numbers drawn from the seed. */
  draws: number
}

/** Work at times of the venue's clock, besides the events of the world. */
export type Schedule = {
  /** The time of the next item; null after the last. */
  readonly nextMs: () => number | null
  /** Performs the next item. */
  readonly perform: () => void
}

/** The state of the embedded venue: registered accounts and the simulation they trade in. Nothing else holds state. */
export type VenueState = {
  readonly journal: EntityJournal
  readonly counters: Counters
  readonly accounts: Map<string, Registration>
  /** Unspent registration nonces and their expiry. */
  readonly nonces: Map<string, number>
  /** The simulation, which is built on the first call. */
  readonly simulation: () => Simulation
  /** Sets the schedule, whose items are performed at their times before anything later happens. */
  readonly follow: (schedule: Schedule) => void
  /** Whether the simulation is built. */
  readonly isOpen: () => boolean
  /** Calls a hook as soon as the simulation is open. */
  readonly whenOpen: (hook: () => void) => void
  /** Advances an open simulation to a time, or to the event after which it is over. Returns whether it was not over. */
  readonly advance: (nowMs: number, isOver?: () => boolean) => boolean
  /**
   * Writes all changes in one transaction. When the store throws, the next commit writes them. Stores a snapshot of the
   * world when one is due.
   */
  readonly commit: () => void
  /** Writes all changes and a snapshot of the world. */
  readonly save: () => void
}

/** An account without keys. */
export function emptyAccount(profile: AccountProfile): Registration {
  return { profile, keys: new Map() }
}

/** A new unique number. */
export function nextVenueId({ counters }: Pick<VenueState, 'counters'>): number {
  counters.sequence += 1
  return counters.sequence
}
