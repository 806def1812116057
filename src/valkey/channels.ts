import type { Redis } from 'ioredis'
import { guarded } from '../core/loop/guarded.ts'
import { awayOf } from './away.ts'

type Listener = (text: string) => void

/** Channels that are listened to for a while, on the connection of messages between instances. */
export function createChannels(redis: Redis, channelOf: (name: string) => string) {
  const listeners = new Map<string, Listener>()
  const whenReady = (command: () => Promise<unknown>) => {
    if (redis.status === 'ready') command().catch(awayOf)
  }

  redis.on(
    'message',
    guarded('valkey', (channel, text) => listeners.get(channel)?.(text)),
  )
  // What was asked for while the connection was lost.
  redis.on(
    'ready',
    guarded('valkey', () => {
      if (listeners.size > 0) redis.subscribe(...listeners.keys()).catch(awayOf)
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
