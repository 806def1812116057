import type { StreamName } from '../spec/stream/topics.ts'
import type { ConnectionSink } from './sink.ts'
import type { Subscriptions } from './subscriptions.ts'
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

/** One caller's connection, as the hub keeps it: plain data, because there are thousands. */
export type Connection = {
  readonly sink: ConnectionSink
  readonly limitKey: string
  readonly openedAtMs: number
  /** When its last message or answer to a heartbeat came. */
  seenAtMs: number
  /** The topics that it gets or waits for. */
  subscriptions: Subscriptions
  /** Groups that it has yet to be let into, and where it left off. */
  pending: Map<string, Since> | null
  /** Since when its sink is too full to take more; null while it keeps up. */
  behindSinceMs: number | null
  /** When the next heartbeat is due, and how many had no answer. */
  heartbeatAtMs: number
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
  sink: ConnectionSink,
  limitKey: string,
  subscriptions: Subscriptions,
  nowMs: number,
  heartbeatMs: number,
): Connection {
  return {
    sink,
    limitKey,
    openedAtMs: nowMs,
    seenAtMs: nowMs,
    subscriptions,
    pending: null,
    behindSinceMs: null,
    heartbeatAtMs: nowMs + heartbeatMs,
    missed: 0,
    isClosed: false,
    violations: 0,
    messagesAtMs: undefined,
    proof: null,
    account: null,
  }
}

/** Whether a connection gets a topic, or waits for it. */
export function isSubscribed({ subscriptions }: Connection, name: string): boolean {
  return subscriptions.topics.some((topic) => topic.name === name)
}
