import { type Exact, memberOf, textOf } from '../../../common/exact-json.ts'
import { countOf, taken } from './taking.ts'

/** Where a topic stands: its epoch, its last number, and what it has come to. */
type Standing = { readonly epoch: string; readonly seq: number; readonly data: Exact }

/** What the server has told of each topic. */
export type ToldTopics = {
  /** Takes a message in. What the topic has come to; null when a message before it is missing. */
  readonly take: (topic: string, message: Exact) => Exact | null
  /** Where a topic could be taken up again; null where it has to begin anew. */
  readonly sinceOf: (topic: string) => readonly [epoch: string, seq: number] | null
  /** What a topic has come to; undefined where nothing was told. */
  readonly of: (topic: string) => { readonly data: Exact } | undefined
  /** Forgets a topic that was given up, unless it could be taken up again. */
  readonly leave: (topic: string) => void
}

/** Messages that begin a topic, whatever came before. */
const OPENERS: ReadonlySet<string> = new Set(['snapshot', 'resync'])

/** A book alone is worth it: of what seldom changes nothing would be told, and nobody would know that it is right. */
function isResumed(topic: string): boolean {
  return topic.startsWith('orderbook:')
}

export function createToldTopics(): ToldTopics {
  const standings = new Map<string, Standing>()
  return {
    take: (topic, message) => {
      const [type, epoch] = [textOf(message, 'type'), textOf(message, 'epoch')]
      const seq = countOf(message, 'seq')
      const before = standings.get(topic)
      const follows = before?.epoch === epoch && seq === before.seq + 1
      if (!follows && !OPENERS.has(type)) {
        standings.delete(topic)
        return null
      }
      const told = { type, data: memberOf(message, 'data') ?? null }
      // How old a topic is says nothing of what it is.
      const data =
        type === 'stale' ? (before?.data ?? null) : taken(topic, before?.data ?? null, told)
      standings.set(topic, { epoch, seq, data })
      return data
    },
    sinceOf: (topic) => {
      const standing = standings.get(topic)
      return standing && isResumed(topic) ? [standing.epoch, standing.seq] : null
    },
    of: (topic) => standings.get(topic),
    leave: (topic) => {
      if (!isResumed(topic)) standings.delete(topic)
    },
  }
}
