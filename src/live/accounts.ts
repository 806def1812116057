import { STREAMS, type StreamName } from '../contract/stream/topics.ts'
import type { AccountSink, Feed, FeedAuth, FeedMessage } from '../core/feed.ts'
import type { Row } from '../core/json.ts'
import type { Clock } from '../core/ports.ts'
import {
  balanceRows,
  fillRow,
  type OnDropped,
  orderRow,
  positionRows,
  reportRows,
} from '../upstream/wire/live.ts'
import type { CallerConnection, LiveAccount } from './connection.ts'
import type { Hub } from './hub.ts'
import type { FaultsByTopic } from './mirror.ts'
import { createTopic, type HeldTopic, type Topic, type TopicSource } from './topic.ts'

/**
 * Adds a connection, which has proved a key, to the account of that key. The first connection, or a newer signature
 * after an expired one, opens the account's connection to the venue. The signature is kept only with that connection.
 */
export type Accounts = { readonly enter: (connection: CallerConnection, auth: FeedAuth) => void }

type AccountsOptions = {
  readonly listen: NonNullable<Feed['account']>
  readonly clock: Clock
  readonly hub: Pick<Hub, 'notify' | 'leave'>
  readonly faults: FaultsByTopic
  /** Called with each message of an account. */
  readonly received: (accountId: string, message: FeedMessage) => void
  /** Called when the venue has accepted or refused a key. */
  readonly judged: (auth: FeedAuth, isGood: boolean) => void
}

/** The accounts with subscribers. */
export function createAccounts(parts: AccountsOptions): Accounts {
  const rooms = new Map<string, Room>()
  let opened = 0

  function open(name: string, { accountId, key }: FeedAuth): Room {
    opened += 1
    const room: Room = {
      ...parts,
      accountId,
      key,
      // Unique per opening, so that a reopened account shares no state with the previous opening.
      id: `${name}/${opened}`,
      members: new Set(),
      topics: new Map(),
      resets: new Map(),
      generation: 0,
      lostAtMs: null,
      stop: null,
      gone: () => {
        if (rooms.get(name) === room) rooms.delete(name)
      },
    }
    rooms.set(name, room)
    return room
  }

  return {
    enter: (connection, auth) => {
      const name = `${auth.accountId.toLowerCase()}/${auth.key}`
      const room = rooms.get(name) ?? open(name, auth)
      room.members.add(connection)
      connection.account = roomAccount(room)
      room.stop ??= room.listen(auth, roomSink(room, auth))
    },
  }
}

type Room = AccountsOptions &
  Pick<LiveAccount, 'accountId' | 'key'> & {
    readonly id: string
    readonly members: Set<CallerConnection>
    readonly topics: Map<StreamName, Topic>
    /** Number of resets per topic while the connection to the venue is open. */
    readonly resets: Map<StreamName, number>
    /** Number of times the connection to the venue has opened. */
    generation: number
    lostAtMs: number | null
    /** Ends the connection to the venue; null without a connection. */
    stop: (() => void) | null
    readonly gone: () => void
  }

function roomAccount(room: Room): LiveAccount {
  const { accountId, key, members } = room
  return {
    accountId,
    key,
    held: (name) => roomTopic(room, name),
    leave: (connection) => {
      connection.account = null
      if (members.delete(connection) && members.size === 0) close(room)
    },
  }
}

function close(room: Room): void {
  unsubscribeRoom(room)
  room.gone()
}

function unsubscribeRoom(room: Room): void {
  room.stop?.()
  room.stop = null
}

function roomSink(room: Room, auth: FeedAuth): AccountSink {
  return {
    message: (message) => {
      receive(room, message)
      room.received(room.accountId, message)
    },
    opened: () => {
      room.generation += 1
      room.lostAtMs = null
      for (const topic of room.topics.values()) topic.turn(true)
      room.judged(auth, true)
    },
    lost: () => {
      room.lostAtMs = room.clock.nowMs()
    },
    refused: () => {
      room.judged(auth, false)
      endSubscriptions(room)
    },
    expired: () => {
      unsubscribeRoom(room)
      const { accountId } = room
      for (const member of room.members) room.hub.notify(member, 'auth_required', { accountId })
    },
  }
}

function receive(room: Room, { topic: feedTopic, data }: FeedMessage): void {
  const names = Object.hasOwn(ROWS_OF, feedTopic) ? ROWS_OF[feedTopic] : undefined
  for (const [name, rowsOf] of names ?? []) {
    try {
      const rows = rowsOf(data, room.faults(name).dropped)
      const topic = room.topics.get(name)
      if (topic?.isReady() && rows.length > 0) topic.emit('event', { rows })
    } catch (error) {
      reset(room, name, error)
    }
  }
}

/** Makes every subscriber of a topic read it again, as after a lost connection to the venue. */
function reset(room: Room, name: StreamName, error: unknown): void {
  room.faults(name).reset(error)
  room.resets.set(name, (room.resets.get(name) ?? 0) + 1)
}

/** Ends the account's subscriptions of all its connections, because the venue does not accept the key. */
function endSubscriptions(room: Room): void {
  const { members, hub, accountId } = room
  for (const member of members) {
    const names = member.subscriptions.topics.map(({ name }) => name)
    const topics = names.filter((name) => ACCOUNT_NAMES.has(name))
    for (const name of topics) hub.leave(member, name)
    member.account = null
    hub.notify(member, 'error', { code: 'unauthorized', meta: { accountId, topics } })
  }
  members.clear()
  close(room)
}

const ACCOUNT_NAMES: ReadonlySet<string> = new Set(
  Object.entries(STREAMS).flatMap(([name, { kind }]) => (kind === 'account' ? [name] : [])),
)

function roomTopic(room: Room, name: StreamName): HeldTopic {
  const group = `${room.id}/${name}`
  return {
    topic: name,
    group,
    intervalMs: 0,
    isEarly: true,
    open: (parts) => {
      const own = { name, group, source: roomSource(room, name), audience: 'private' } as const
      const topic = createTopic(parts, own)
      room.topics.set(name, topic)
      return topic
    },
  }
}

function roomSource(room: Room, name: StreamName): TopicSource {
  return {
    generation: () => (room.generation === 0 ? 0 : room.generation + (room.resets.get(name) ?? 0)),
    snapshot: () => ({ reads: STREAMS[name].reads }),
    drainDelta: () => undefined,
    lostAtMs: () => room.lostAtMs,
    reset: (error) => reset(room, name, error),
    close: () => room.topics.delete(name),
  }
}

type MessageRows = (data: unknown, onDropped: OnDropped) => readonly Row[]

/**
 * For each private message of the venue: the topics to publish to, each with a function that makes rows with the field
 * names of the reads.
 */
const ROWS_OF: Readonly<Record<string, readonly (readonly [StreamName, MessageRows])[]>> = {
  position: [['positions', positionRows]],
  balance: [['balances', balanceRows]],
  executionreport: [
    ['orders', (data, onDropped) => reportRows(data, onDropped).map(orderRow)],
    [
      'fills',
      (data, onDropped) =>
        reportRows(data, onDropped)
          .map(fillRow)
          .filter((row) => row !== undefined),
    ],
  ],
}
