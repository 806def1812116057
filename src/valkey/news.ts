import type { Redis } from 'ioredis'
import { after, guarded } from '../core/loop/guarded.ts'

/**
 * What instances tell each other: that a load has ended; that a write has ended or did not begin; a question who is
 * sending a write, and the answer of who is; a purge.
 */
export type NewsKind = 'loaded' | 'written' | 'asked' | 'sending' | 'purged'

/** Somebody who waits for one thing to be told. */
export type Waiting = {
  /** The word that came with it; null when it was not told within so long. */
  readonly within: (maxMs: number) => Promise<string | null>
  readonly stop: () => void
}

/** What is told to all instances. It can be lost: whoever waits for it looks for itself from time to time. */
export type News = {
  /** The channel, and a message of it: for scripts that tell what they have done. */
  readonly channel: string
  readonly message: (kind: NewsKind, subject: string, word?: string) => string
  /** Waits from now on. */
  readonly waitFor: (kind: NewsKind, subject: string) => Waiting
  /** Hears of all of one kind: its subject. */
  readonly hear: (kind: NewsKind, listener: (subject: string) => void) => void
  /** Makes a connection notice that it is dead. */
  readonly beat: () => void
  readonly close: () => void
}

type Listener = (word: string) => void

/** News over a connection of its own. Databases of one engine have the same channels, so theirs are named apart. */
export function createNews(redis: Redis, database: number): News {
  const channel = `prepd:${database}:news`
  const waiting = new Map<string, Set<Listener>>()
  const hearers = new Map<string, (subject: string) => void>()

  function receive(text: string): void {
    const [kind = '', word = '', ...rest] = text.split(' ')
    const subject = rest.join(' ')
    hearers.get(kind)?.(subject)
    for (const listener of waiting.get(`${kind} ${subject}`) ?? []) listener(word)
  }

  function waitFor(kind: NewsKind, subject: string): Waiting {
    const place = `${kind} ${subject}`
    const { promise, resolve } = Promise.withResolvers<string>()
    const listeners = waiting.get(place) ?? new Set()
    waiting.set(place, listeners.add(resolve))
    return {
      within: (maxMs) => within(promise, maxMs),
      stop: () => {
        listeners.delete(resolve)
        if (listeners.size === 0) waiting.delete(place)
      },
    }
  }

  redis.on(
    'message',
    guarded('valkey', (_channel, text) => receive(text)),
  )
  redis.on(
    'error',
    guarded('valkey', () => undefined),
  )
  // Subscribed anew by the client itself whenever the connection was lost.
  redis.once(
    'ready',
    guarded('valkey', () => redis.subscribe(channel).catch(() => redis.disconnect(true))),
  )
  redis.connect().catch(() => undefined)
  return {
    channel,
    message: (kind, subject, word = '-') => `${kind} ${word} ${subject}`,
    waitFor,
    hear: (kind, listener) => void hearers.set(kind, listener),
    beat: () => void redis.ping().catch(() => undefined),
    close: () => redis.disconnect(),
  }
}

async function within(told: Promise<string>, maxMs: number): Promise<string | null> {
  let timer: Timer | undefined
  const silence = new Promise<null>((resolve) => {
    timer = after('valkey', maxMs, () => resolve(null))
  })
  try {
    return await Promise.race([told, silence])
  } finally {
    clearTimeout(timer)
  }
}
