import { MINUTE_MS } from '../../contract/durations.ts'
import type { TapeFunding, TapeRecord } from '../../tapes/records.ts'
import { requestMarkUpdate } from '../prices/mark.ts'
import { plan } from '../state/queue.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { playRecords } from '../tape/play.ts'
import { forgetRecorded, recordedMove } from '../tape/recorded.ts'
import { applyRecordedMoves } from './handlers.ts'

/** Records of the live markets in order of arrival. Null if the feed starts again, which makes all books unknown. */
type Mirrored = { readonly records: readonly TapeRecord[] | null }

/** A funding period that ends within this time is settled before the live market's next period is followed. */
const SETTLES_WITHIN_MS = MINUTE_MS

/** Applies records of the live markets to a world that mirrors them. */
export function followMirror(world: EngineWorld, { records }: Mirrored, atMs: number): null {
  const { exchange, tape, counts, scenes } = world
  if (!tape?.isMirror) throw new RangeError('this world mirrors no live market')
  if (records === null) {
    forgetRecorded(tape)
    for (const { market } of scenes) market.isAway = true
    return null
  }
  counts.events += records.length
  const played = records.filter(({ kind }) => kind !== 'funding')
  applyRecordedMoves(world, playRecords(exchange, tape, { records: played, atMs }), atMs)
  for (const record of records) {
    const market = tape.markets.get(record.market)?.market
    const scene = market && scenes[market.number]
    if (!scene) continue
    // A mark price that arrived while the book was unknown takes effect once the book is known.
    requestMarkUpdate(world, scene)
    if (record.kind === 'funding') followFunding(world, scene, record, atMs)
  }
  return null
}

/**
 * Applies the rate of the current funding period. The period's end moves if the live market's period ends at a
 * different time.
 */
function followFunding(world: EngineWorld, scene: Scene, record: TapeFunding, atMs: number): void {
  const { mirrored, nextFundingAtMs, market } = scene
  const { rate = 0 } = recordedMove(record, market.spec)
  const nextMs = Math.floor(record.nextUs / 1000)
  if (!mirrored || nextMs <= atMs) return
  if (nextMs > nextFundingAtMs && nextFundingAtMs - atMs <= SETTLES_WITHIN_MS) {
    mirrored.later = { rate, nextMs }
    return
  }
  scene.recordedRate = rate
  if (nextMs === nextFundingAtMs) return
  scene.nextFundingAtMs = nextMs
  plan(world.queue, nextMs, 'funding', market.number)
}
