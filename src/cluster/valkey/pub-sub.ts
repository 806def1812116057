import type { Redis } from 'ioredis'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { toEngineAway } from './away.ts'

/**
 * Messages between instances:
 * - `loaded`: a load has ended
 * - `written`: a write has ended, or did not begin
 * - `asked`: which instance is sending a write?
 * - `sending`: this instance is sending it
 * - `purged`: a purge
 */
export type MessageKind = 'loaded' | 'written' | 'asked' | 'sending' | 'purged'

/** A subscription to one message. */
type Waiting = {
  /** The word that came with it; null if it did not come within `maxMs`. */
  readonly within: (maxMs: number) => Promise<string | null>
  readonly stop: () => void
}

/**
 * Publishes and receives messages of all instances. A message can be lost, so a receiver that waits for one also checks
 * from time to time.
 */
export type PubSub = {
  /** The channel, and a message of it: for scripts that publish what they have done. */
  readonly channel: string
  readonly message: (kind: MessageKind, subject: string, word?: string) => string
  /** Waits from now on. */
  readonly waitFor: (kind: MessageKind, subject: string) => Waiting
  /** Calls back with the subject of each message of a kind. */
  readonly subscribe: (kind: MessageKind, listener: (subject: string) => void) => void
  /** Listens to a channel of texts, until the function that it returns is called. */
  readonly listen: (name: string, listener: (text: string) => void) => () => void
  /** A channel's name in the engine. */
  readonly channelOf: (name: string) => string
  /** Makes a connection notice that it is dead. */
  readonly ping: () => void
  readonly close: () => void
}

type Listener = (text: string) => void

/** Messages over a connection of their own. Databases of one engine have the same channels, so theirs are named apart. */
export function createPubSub(redis: Redis, database: number): PubSub {
  const channelOf = (name: string) => `prepd:${database}:${name}`
  const channel = channelOf('news')
  const channels = createChannels(redis, channelOf)
  const waiting = new Map<string, Set<Listener>>()
  const subscribers = new Map<string, (subject: string) => void>()

  function receive(text: string): void {
    const [kind = '', word = '', ...rest] = text.split(' ')
    const subject = rest.join(' ')
    subscribers.get(kind)?.(subject)
    for (const listener of waiting.get(`${kind} ${subject}`) ?? []) listener(word)
  }

  function waitFor(kind: MessageKind, subject: string): Waiting {
    const place = `${kind} ${subject}`
    const { promise, resolve } = Promise.withResolvers<string>()
    const listeners = waiting.get(place) ?? new Set()
    waiting.set(place, listeners.add(resolve))
    return {
      within: (maxMs) => settledWithin('valkey', maxMs, promise, () => null),
      stop: () => {
        listeners.delete(resolve)
        if (listeners.size === 0) waiting.delete(place)
      },
    }
  }

  redis.on(
    'message',
    guarded('valkey', (from, text) => from === channel && receive(text)),
  )
  redis.on(
    'error',
    guarded('valkey', () => undefined),
  )
  // The client itself subscribes again after each loss of the connection.
  redis.once(
    'ready',
    guarded('valkey', async () => {
      try {
        await redis.subscribe(channel)
      } catch (error) {
        toEngineAway(error)
        redis.disconnect(true)
      }
    }),
  )
  redis.connect().catch(toEngineAway)
  return {
    channel,
    channelOf,
    listen: channels.listen,
    message: (kind, subject, word = '-') => `${kind} ${word} ${subject}`,
    waitFor,
    subscribe: (kind, listener) => void subscribers.set(kind, listener),
    ping: () => void redis.ping().catch(toEngineAway),
    close: () => redis.disconnect(),
  }
}

/** Channels that are listened to for a while, on the connection of messages between instances. */
function createChannels(redis: Redis, channelOf: (name: string) => string) {
  const listeners = new Map<string, Listener>()
  const whenReady = (command: () => Promise<unknown>) => {
    if (redis.status === 'ready') command().catch(toEngineAway)
  }

  redis.on(
    'message',
    guarded('valkey', (channel, text) => listeners.get(channel)?.(text)),
  )
  // Subscribe again to the channels requested while the connection was lost.
  redis.on(
    'ready',
    guarded('valkey', () => {
      if (listeners.size > 0) redis.subscribe(...listeners.keys()).catch(toEngineAway)
    }),
  )
  return {
    listen: (name: string, listener: Listener): (() => void) => {
      const channel = channelOf(name)
      listeners.set(channel, listener)
      whenReady(() => redis.subscribe(channel))
      return () => {
        listeners.delete(channel)
        whenReady(() => redis.unsubscribe(channel))
      }
    },
  }
}
