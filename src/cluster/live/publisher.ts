import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { FeedBus } from '../../core/feed.ts'
import { after, detached, reportUnexpected } from '../../core/loop/guarded.ts'
import { batchText, eventLine, type FeedEvent } from './wire.ts'

/**
 * Publishes the leader's events in numbered batches. Drops a batch if Valkey refuses it, or if too many characters wait
 * to be sent; followers then see a gap in the numbers.
 */
export function createPublisher(bus: Pick<FeedBus, 'send'>, monotonicMs: () => number) {
  let [term, seq, leadsUntilMs] = [0, 0, 0]
  let [lines, chars, sentChars]: [string[], number, number] = [[], 0, 0]
  let timer: Timer | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const text = batchText(term, seq + 1, lines)
    ;[lines, chars] = [[], 0]
    seq += 1
    // The lead has run out, so a different instance may lead by now.
    if (monotonicMs() >= leadsUntilMs) return
    if (sentChars + text.length <= CLUSTER_FEED.sendingMaxChars) detached('upstream', send(text))
  }

  async function send(text: string): Promise<void> {
    sentChars += text.length
    try {
      await bus.send('feed', text)
    } catch (error) {
      reportUnexpected('upstream', error, EngineAway)
    } finally {
      sentChars -= text.length
    }
  }

  return {
    isOf: (other: number) => term === other,
    /**
     * Allows publishing until a time of the monotonic clock. A new leader that continues a term skips a number, because
     * followers may have missed a batch.
     */
    lead: (next: number, untilMs: number, isNew: boolean): void => {
      if (isNew) [term, seq, lines, chars] = [next, next === term ? seq + 1 : 0, [], 0]
      leadsUntilMs = untilMs
    },
    emit: (event: FeedEvent): void => {
      const line = eventLine(event)
      lines.push(line)
      chars += line.length
      if (chars >= CLUSTER_FEED.batchMaxChars) flush()
      else timer ??= after('upstream', CLUSTER_FEED.batchMs, flush)
    },
    flush,
  }
}
