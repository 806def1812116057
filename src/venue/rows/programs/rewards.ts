import { epochOf, epochStartMs } from '../../programs/epochs.ts'
import { type Merits, ranked, sumOver } from '../../programs/merits.ts'
import { EPOCHS_BEFORE } from '../../programs/past.ts'
import { STAGES, type Stage } from '../../programs/stages.ts'
import { pageOf, positive, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { addressOf } from './holding.ts'

/** What a wallet must have in points for each tier. */
const TIER_POINTS = [0, 10_000, 1_000_000, 100_000_000, 1_000_000_000]
const RANKED_ROWS = 20

/** The rewards: points for what was traded and paid, by the week, of users and agents alike. */
export function rewardRows(merits: Merits): readonly VenueRow[] {
  return [
    publicRead('/v1/public/points/epoch_dates', ({ nowMs }) => ({
      rows: epochsAt(merits, nowMs).map((epoch) => ({
        epoch_id: epoch,
        epoch_start_date: epochStartMs(epoch),
        epoch_end_date: epochStartMs(epoch + 1),
      })),
    })),
    publicRead('/v1/public/points/stages', (call) => stages(merits, call)),
    publicRead('/v1/public/points/rankings', (call) => rankings(merits, call)),
    publicRead('/v1/client/points', (call) => meritsOf(merits, call)),
  ]
}

/** The running epoch and all before it that are told, newest first. */
function epochsAt(merits: Merits, nowMs: number): readonly number[] {
  const current = epochOf(nowMs)
  const { firstEpoch } = merits.past()
  return Array.from({ length: current - firstEpoch + 1 }, (_, back) => current - back)
}

type Bounds = { readonly from: number; readonly to: number }

/** The first and the last epoch of a stage. */
function boundsOf(merits: Merits, { startWeek, endWeek }: Stage): Bounds {
  const opening = merits.past().firstEpoch + EPOCHS_BEFORE
  return { from: opening + startWeek, to: opening + endWeek - 1 }
}

function statusOf({ from, to }: Bounds, nowMs: number): 'pending' | 'active' | 'completed' {
  const current = epochOf(nowMs)
  if (current < from) return 'pending'
  return current > to ? 'completed' : 'active'
}

/** Those that have begun, or of one status. Times are seconds here, as on the wire. */
function stages(merits: Merits, { query, nowMs }: VenueCall) {
  requiredQuery(query, 'broker_id')
  const id = queryText(query, 'stage_id')
  const wanted = queryText(query, 'status')
  const rows = STAGES.filter((stage) => id === null || String(stage.id) === id)
    .map((stage) => stageRow(stage, boundsOf(merits, stage), nowMs))
    .filter(({ status }) => (wanted === null ? status !== 'pending' : status === wanted))
  return { rows }
}

function stageRow({ id, name, description, isContinuous }: Stage, bounds: Bounds, nowMs: number) {
  return {
    stage_id: id,
    start_time: epochStartMs(bounds.from) / 1000,
    end_time: epochStartMs(bounds.to + 1) / 1000,
    status: statusOf(bounds, nowMs),
    stage_name: name,
    stage_description: description,
    is_continous: isContinuous,
  }
}

/** Who leads a stage: all of it, or the part of it within this week or the last. Who has no points has no rank. */
function rankings(merits: Merits, { query, nowMs }: VenueCall) {
  const { from, to } = periodOf(requiredQuery(query, 'period'), stageOf(merits, query), nowMs)
  const points = Array.from(
    merits.wallets(),
    ([address, own]) => [address, sumOver(own, from, to)] as const,
  )
  const rows = ranked(points.filter(([, own]) => own > 0)).map(
    ({ rank, address, points: own }) => ({
      rank,
      address,
      total_points: own,
    }),
  )
  return pageOf(rows, query, RANKED_ROWS)
}

function stageOf(merits: Merits, query: URLSearchParams): Bounds {
  requiredQuery(query, 'stage')
  const id = positive(query, 'stage', 1)
  const stage = STAGES.find((each) => each.id === id)
  if (!stage) throw refusal('notFound', 'The stage is not found')
  return boundsOf(merits, stage)
}

function periodOf(period: string, { from, to }: Bounds, nowMs: number): Bounds {
  if (period === 'all_time') return { from, to }
  const current = epochOf(nowMs)
  if (period !== 'this_week' && period !== 'last_week')
    throw refusal('parameter', 'period must be all_time, last_week or this_week')
  const week = period === 'this_week' ? current : current - 1
  return { from: Math.max(from, week), to: Math.min(to, week) }
}

/** The points of one wallet at every builder, and its rank among all. Throws the refusal of a wallet without account. */
function meritsOf(merits: Merits, { query, nowMs }: VenueCall) {
  const wallets = merits.wallets()
  const own = wallets.get(addressOf(query))
  if (!own) throw refusal('noAccount')
  const current = epochOf(nowMs)
  const standing = (from: number, to: number) => standingOf(wallets, own, from, to)
  const total = standing(merits.past().firstEpoch, current)
  const running = standing(current, current)
  return {
    total_points: total.points,
    global_rank: total.rank,
    tier: TIER_POINTS.filter((least) => total.points >= least).length,
    current_epoch_points: running.points,
    current_epoch_rank: running.rank,
    rows: epochsAt(merits, nowMs)
      .filter((epoch) => (own.get(epoch) ?? 0) > 0)
      .map((epoch) => ({ ...standing(epoch, epoch), epoch_id: epoch })),
  }
}

/** A wallet's points over some epochs, and its rank: one more than there are wallets with more. */
function standingOf(
  wallets: ReturnType<Merits['wallets']>,
  own: ReadonlyMap<number, number>,
  from: number,
  to: number,
) {
  const points = sumOver(own, from, to)
  let rank = 1
  for (const other of wallets.values()) if (sumOver(other, from, to) > points) rank += 1
  return { rank, points }
}
