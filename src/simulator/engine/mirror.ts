import { MINUTE_MS } from '../../contract/durations.ts'
import type { TapeFunding, TapeRecord } from '../../tapes/records.ts'
import { markStale } from '../prices/mark.ts'
import { plan } from '../state/queue.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { playRecords } from '../tape/play.ts'
import { forgetRecorded, recordedMove } from '../tape/recorded.ts'
import { followMoves } from './handlers.ts'

/**
 * Records of the live markets in their order of arrival; null when the records begin anew and all books are unknown.
 */
type Mirrored = { readonly records: readonly TapeRecord[] | null }

/** A period that ends within this time is settled before the next period of the live market is followed. */
const SETTLES_WITHIN_MS = MINUTE_MS

/** Lets a world that mirrors live markets follow them. */
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
  followMoves(world, playRecords(exchange, tape, { records: played, atMs }), atMs)
  for (const record of records) {
    const market = tape.markets.get(record.market)?.market
    const scene = market && scenes[market.number]
    if (!scene) continue
    // A mark that came while the book was unknown counts once it is known.
    markStale(world, scene)
    if (record.kind === 'funding') followFunding(world, scene, record, atMs)
  }
  return null
}

/** Takes the rate of the period that runs; its end moves where the live market has another. */
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
