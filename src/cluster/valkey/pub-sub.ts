import type { Redis } from 'ioredis'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { toEngineAway } from './engine-errors.ts'

/**
 * Messages between instances:
 * - `loaded`: a load has ended
 * - `written`: a write has ended, or did not begin
 * - `asked`: an instance asks which instance is sending a write
 * - `sending`: the answer of the instance that is sending the write
 * - `purged`: a purge
 */
export type MessageKind = 'loaded' | 'written' | 'asked' | 'sending' | 'purged'

/** A subscription to one message. */
type Waiting = {
  /** The word of the message; null if no message arrives within `maxMs`. */
  readonly within: (maxMs: number) => Promise<string | null>
  readonly stop: () => void
}

/**
 * Publishes and receives messages of all instances. A message can be lost, so a receiver that waits for one also checks
 * from time to time.
 */
export type PubSub = {
  /** The channel and the text of a message, for scripts that publish by themselves. */
  readonly channel: string
  readonly message: (kind: MessageKind, subject: string, word?: string) => string
  /** Starts to wait for a message now. */
  readonly waitFor: (kind: MessageKind, subject: string) => Waiting
  /** Calls back with the subject of each message of a kind. */
  readonly subscribe: (kind: MessageKind, listener: (subject: string) => void) => void
  /** Listens to a channel. Returns a function that stops listening. */
  readonly listen: (name: string, listener: (text: string) => void) => () => void
  /** The full name of a channel in the engine. */
  readonly channelOf: (name: string) => string
  /** Sends a ping, so that a dead connection is noticed. */
  readonly ping: () => void
  readonly close: () => void
}

type Listener = (text: string) => void

/** Messages over a separate connection. Pub/sub ignores the engine's database numbers, so channel names contain the number. */
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
  // Called only once, because the client resubscribes by itself after each reconnection.
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

/** Channels that are subscribed temporarily, on the pub/sub connection. */
function createChannels(redis: Redis, channelOf: (name: string) => string) {
  const listeners = new Map<string, Listener>()
  const whenReady = (command: () => Promise<unknown>) => {
    if (redis.status === 'ready') command().catch(toEngineAway)
  }

  redis.on(
    'message',
    guarded('valkey', (channel, text) => listeners.get(channel)?.(text)),
  )
  // Subscribes again to the channels requested while the connection was lost.
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
