import type { StreamMessageType } from '../spec/stream/messages.ts'
import { beat, dismiss } from './beat.ts'
import type { Connection } from './connection.ts'
import { createHeardLists } from './heard.ts'
import type { Outlet, Transport } from './outlet.ts'
import { createPlaces } from './places.ts'
import { end, enter, forget, type HubParts, type HubState, join, leave, say } from './state.ts'
import type { Held, Since } from './topic.ts'

/** Topics and who hears them: every message is made once, and all of one beat are sent in one turn of the loop. */
export type Hub = {
  /** Takes a connection in and greets it. It has a seat, which it gives back when it goes. */
  readonly connect: (outlet: Outlet, limitKey: string) => Connection
  readonly disconnect: (connection: Connection) => void
  /** Lets a connection hear a topic, from where it left off; the topic is opened when it is the first. */
  readonly join: (connection: Connection, held: Held, since: Since) => void
  readonly leave: (connection: Connection, topic: string) => void
  /** A message to one connection, about itself. */
  readonly say: (connection: Connection, type: StreamMessageType, fields?: object) => void
  /** Ends a connection, saying why in a code. */
  readonly end: (connection: Connection, code: number, reason: string) => void
  /** Where the id of an event left its reader; null for one of another process, or of none. */
  readonly sinceId: (id: string | null) => Since
  readonly beat: () => void
  readonly size: () => HubSize
  /** Tells everybody when to come back, and ends them. */
  readonly close: () => void
}

/** Open connections by what carries them, the topics kept for them, and topics heard, each once for a connection. */
export type HubSize = Readonly<Record<Transport, number>> & {
  readonly topics: number
  readonly subscriptions: number
}

/** The hub; `beat` is to be called every `STREAM_LIMITS.beatMs`. */
export function createHub(parts: HubParts): Hub {
  const places = createPlaces(parts.random)
  const state: HubState = {
    ...parts,
    publish: (group, frame, place) => {
      state.saidChars += frame.text.length
      parts.publish(group, frame, place)
    },
    places,
    lists: createHeardLists(),
    connections: new Set(),
    joining: new Set(),
    entries: new Map(),
    beats: 0,
    saidChars: 0,
  }
  return {
    connect: (outlet, limitKey) => enter(state, outlet, limitKey),
    disconnect: (connection) => forget(state, connection),
    join: (connection, held, since) => join(state, connection, held, since),
    leave: (connection, topic) => leave(state, connection, topic),
    say: (connection, type, fields) => say(state, connection, type, fields),
    end: (connection, code, reason) => end(state, connection, code, reason),
    beat: () => beat(state),
    sinceId: (id) => {
      const place = places.read(id)
      return place === null ? null : { place }
    },
    size: () => sizeOf(state),
    close: () => closeHub(state),
  }
}

function sizeOf({ connections, entries }: HubState): HubSize {
  const all = [...connections]
  const events = all.filter(({ outlet }) => outlet.transport === 'events').length
  return {
    socket: all.length - events,
    events,
    topics: entries.size,
    subscriptions: all.reduce((sum, { heard }) => sum + heard.topics.length, 0),
  }
}

function closeHub(state: HubState): void {
  for (const connection of [...state.connections]) dismiss(state, connection)
  for (const { topic } of state.entries.values()) topic.close()
  state.entries.clear()
}
