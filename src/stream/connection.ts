import type { StreamName } from '../spec/stream/topics.ts'
import type { Heard } from './heard.ts'
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

/** One caller's connection, as the hub keeps it: plain data, because there are thousands. */
export type Connection = {
  readonly outlet: Outlet
  readonly limitKey: string
  readonly openedAtMs: number
  /** The topics it hears or waits for. */
  heard: Heard
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
  heard: Heard,
  nowMs: number,
  heartbeatMs: number,
): Connection {
  return {
    outlet,
    limitKey,
    openedAtMs: nowMs,
    heard,
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
export function hears({ heard }: Connection, name: string): boolean {
  return heard.topics.some((topic) => topic.name === name)
}
