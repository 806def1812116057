import type { Journal } from './journal.ts'
import type { Simulation } from './simulation.ts'

/** What the wire knows of an account; what it holds and trades is in the engine. */

export type Key = {
  readonly id: number
  readonly accountId: string
  readonly publicKey: string
  readonly scope: string
  /** On the venue's clock. */
  readonly expiresAtMs: number
  /** The same on the clock that its message was written by, where that was another. */
  readonly expirationMs?: number
  readonly tag: string | null
  /** When it was removed; it is known on, or it could be bound anew. */
  readonly removedAtMs?: number
}

export type Profile = {
  readonly accountId: string
  readonly userId: number
  readonly address: string
  readonly brokerId: string
  readonly createdAtMs: number
  /** Of a sub-account: the main account it belongs to, and what its owner calls it. */
  readonly main?: string
  readonly description?: string
}

/** A registered account's profile and keys. Balances and positions are the engine's. */
export type Registration = {
  readonly profile: Profile
  readonly keys: Map<string, Key>
}

export type Counters = {
  /** The last number given to a user or a key. */
  sequence: number
  /** How many random numbers were drawn from the seed. */
  draws: number
}

/** Work that is due at times of the venue, beside the events of the world. */
export type Schedule = {
  /** The time of the next item; null when nothing is left. */
  readonly nextMs: () => number | null
  /** Performs the next item. */
  readonly perform: () => void
}

/** The state of the embedded venue: registered accounts and the simulation they trade in. Nothing else holds state. */
export type VenueState = {
  readonly journal: Journal
  readonly counters: Counters
  readonly accounts: Map<string, Registration>
  /** Registration nonces that can still be spent, and until when. */
  readonly nonces: Map<string, number>
  /** Built when it is first asked for. */
  readonly simulation: () => Simulation
  /** Sets the schedule, whose items are performed at their times before anything later happens. */
  readonly follow: (schedule: Schedule) => void
  /** Whether it has been asked for. */
  readonly isOpen: () => boolean
  /** Calls a hook as soon as the simulation is open. */
  readonly whenOpen: (hook: () => void) => void
  /** Advances an open simulation to a time. */
  readonly advance: (nowMs: number) => void
  /**
   * Writes everything that has changed in one transaction. When the store throws, the next one writes it. Stores the world
   * anew where much has happened since the last time.
   */
  readonly commit: () => void
  /** Writes everything that has changed, and the world as it stands. */
  readonly save: () => void
}

/** An account without keys. */
export function emptyAccount(profile: Profile): Registration {
  return { profile, keys: new Map() }
}

/** A number that nothing else has. */
export function nextId({ counters }: Pick<VenueState, 'counters'>): number {
  counters.sequence += 1
  return counters.sequence
}
