import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { FeedBus } from '../../core/feed.ts'
import { after, detached, expected } from '../../core/loop/guarded.ts'
import { batchText, type FeedEvent, lineOf } from './wire.ts'

/**
 * Publishes what a leader has, in batches that are numbered. One that Valkey does not take, or that there is no room for while it is
 * slow, is missed by those who follow, who see the gap.
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
    // Another may lead by now.
    if (monotonicMs() >= leadsUntilMs) return
    if (sentChars + text.length <= CLUSTER_FEED.sendingMaxChars) detached('upstream', send(text))
  }

  async function send(text: string): Promise<void> {
    sentChars += text.length
    try {
      await bus.send('feed', text)
    } catch (error) {
      expected('upstream', error, EngineAway)
    } finally {
      sentChars -= text.length
    }
  }

  return {
    isOf: (other: number) => term === other,
    /**
     * Leads until a time of the monotonic clock. Who begins to lead leaves a number out: in a term that goes on, those who
     * follow may have missed something.
     */
    lead: (next: number, untilMs: number, isNew: boolean): void => {
      if (isNew) [term, seq, lines, chars] = [next, next === term ? seq + 1 : 0, [], 0]
      leadsUntilMs = untilMs
    },
    emit: (event: FeedEvent): void => {
      const line = lineOf(event)
      lines.push(line)
      chars += line.length
      if (chars >= CLUSTER_FEED.batchMaxChars) flush()
      else timer ??= after('upstream', CLUSTER_FEED.batchMs, flush)
    },
    flush,
  }
}
