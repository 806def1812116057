import type { StreamName } from '../spec/stream/topics.ts'
import type { Outlet } from './outlet.ts'
import type { Held, Since } from './topic.ts'

/** One account as one key sees it: one connection to the venue, whoever of its owners listens. */
export type Account = {
  readonly accountId: string
  readonly key: string
  /** A topic of the account, for the hub. */
  readonly held: (name: StreamName) => Held
  /** Forgets a connection; the last one takes the signature along. */
  readonly leave: (connection: Connection) => void
}

/** A topic by its name, and the group of those who hear it. */
export type HeardTopic = { readonly name: string; readonly group: string }

/** One caller's connection, as the hub keeps it: plain data, because there are thousands. */
export type Connection = {
  readonly outlet: Outlet
  readonly limitKey: string
  readonly openedAtMs: number
  /** The topics it hears or waits for: a list no longer than they are, because ten small maps a caller add up. */
  topics: readonly HeardTopic[]
  /** Groups that it has yet to be let into, and where it left off. */
  pending: Map<string, Since> | null
  /** Since when its outlet is too full to take more; null while it keeps up. */
  behindSinceMs: number | null
  /** When the next heartbeat is due, and how many had no answer. */
  beatAtMs: number
  missed: number
  isClosed: boolean
  violations: number
  /** The rate window of its messages. */
  messagesAtMs: number | undefined
  /** A proof that is being judged; null while there is none. */
  proof: Promise<void> | null
  /** The account it has proved. */
  account: Account | null
}

/** A connection that has asked for nothing yet. */
export function newConnection(
  outlet: Outlet,
  limitKey: string,
  nowMs: number,
  heartbeatMs: number,
): Connection {
  return {
    outlet,
    limitKey,
    openedAtMs: nowMs,
    topics: [],
    pending: null,
    behindSinceMs: null,
    beatAtMs: nowMs + heartbeatMs,
    missed: 0,
    isClosed: false,
    violations: 0,
    messagesAtMs: undefined,
    proof: null,
    account: null,
  }
}

/** Whether a connection hears a topic, or waits for it. */
export function hears({ topics }: Connection, name: string): boolean {
  return topics.some((topic) => topic.name === name)
}
