import type { IsOver } from '../engine/run.ts'
import type { Floor } from './floor.ts'
import type { Journal } from './journal.ts'

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

export type Account = {
  readonly profile: Profile
  readonly keys: Map<string, Key>
}

export type Counters = {
  /** The last number given to a user or a key. */
  sequence: number
  /** How many random numbers were drawn from the seed. */
  draws: number
}

/** What is to happen at times of the venue, beside what the world does by itself. */
export type Agenda = {
  /** When the next of it is due; null when nothing is left. */
  readonly nextMs: () => number | null
  /** Lets it happen. */
  readonly perform: () => void
}

/** Everything the exchange knows. Functions take it as their first argument; nothing else holds state. */
export type Exchange = {
  readonly journal: Journal
  readonly counters: Counters
  readonly accounts: Map<string, Account>
  /** Registration nonces that can still be spent, and until when. */
  readonly nonces: Map<string, number>
  /** Where everything is traded: built when it is first asked for. */
  readonly floor: () => Floor
  /** Lets what is due at times of the venue happen at those times, before anything later does. */
  readonly attend: (agenda: Agenda) => void
  /** Whether it has been asked for. */
  readonly isOpen: () => boolean
  /** Goes on with opening it until it is enough for now; answers whether it is open. */
  readonly open: (isOver: IsOver) => boolean
  /** Does something as soon as the floor is open, and not before. */
  readonly whenOpen: (hook: () => void) => void
  /** Lets a floor that is open go on to a time. */
  readonly advance: (nowMs: number) => void
  /** The same until it is enough for now; answers whether it is there. */
  readonly step: (nowMs: number, isOver: IsOver) => boolean
  /** Whether the world is being stored: it stands still, and `step` goes on with that first. */
  readonly isSaving: () => boolean
  /**
   * Writes everything that has changed in one transaction. When the store throws, the next one writes it. Begins to store
   * the world where much has happened since the last time.
   */
  readonly commit: () => void
}

/** An account without keys. */
export function emptyAccount(profile: Profile): Account {
  return { profile, keys: new Map() }
}

/** A number that nothing else has. */
export function nextId({ counters }: Pick<Exchange, 'counters'>): number {
  counters.sequence += 1
  return counters.sequence
}
