import type { VenueState } from '../../exchange/state.ts'
import { pageOf, positive, queryText, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { epochsOf, participantsOf, pointsOf } from '../../programs/participants.ts'
import { epochOf, epochStartMs, firstEpochOf, STAGES, type Stage } from '../../programs/tables.ts'
import { addressOf } from './staking.ts'

/** The points of each tier. */
const TIER_POINTS = [0, 10_000, 1_000_000, 100_000_000, 1_000_000_000]
const RANKED_ROWS = 20

/** The rewards: points for trades and fees, by the week. */
export function rewardRows(exchange: VenueState): readonly VenueRow[] {
  const worldOf = () => exchange.simulation().engine.world
  return [
    publicRead('/v1/public/points/epoch_dates', ({ nowMs }) => ({
      rows: epochsUntil(worldOf(), nowMs).map((epoch) => ({
        epoch_id: epoch,
        epoch_start_date: epochStartMs(epoch),
        epoch_end_date: epochStartMs(epoch + 1),
      })),
    })),
    publicRead('/v1/public/points/stages', (call) => stages(worldOf(), call)),
    publicRead('/v1/public/points/rankings', (call) => rankings(exchange, call)),
    publicRead('/v1/client/points', (call) => pointsOfWallet(exchange, call)),
  ]
}

type Began = { readonly beginsAtMs: number }

/** The running epoch and all before it with figures, newest first. */
function epochsUntil(world: Began, nowMs: number): readonly number[] {
  const current = epochOf(nowMs)
  const length = current - firstEpochOf(world) + 1
  return Array.from({ length }, (_, back) => current - back)
}

/** The first and the last epoch of a stage or a period. */
type Bounds = { readonly from: number; readonly to: number }

function boundsOf({ beginsAtMs }: Began, { startWeek, endWeek }: Stage): Bounds {
  const opening = epochOf(beginsAtMs)
  return { from: opening + startWeek, to: opening + endWeek - 1 }
}

function statusOf({ from, to }: Bounds, nowMs: number): 'pending' | 'active' | 'completed' {
  const current = epochOf(nowMs)
  if (current < from) return 'pending'
  return current > to ? 'completed' : 'active'
}

/** Those that have begun, or of one status. Times are seconds here, as on the wire. */
function stages(world: Began, { query, nowMs }: VenueCall) {
  requiredQuery(query, 'broker_id')
  const [id, wanted] = [queryText(query, 'stage_id'), queryText(query, 'status')]
  const rows = STAGES.filter((stage) => id === null || String(stage.id) === id)
    .map((stage) => stageRow(stage, boundsOf(world, stage), nowMs))
    .filter(({ status }) => (wanted === null ? status !== 'pending' : status === wanted))
  return { rows }
}

function stageRow({ id, name, description }: Stage, bounds: Bounds, nowMs: number) {
  return {
    stage_id: id,
    start_time: epochStartMs(bounds.from) / 1000,
    end_time: epochStartMs(bounds.to + 1) / 1000,
    status: statusOf(bounds, nowMs),
    stage_name: name,
    stage_description: description,
    // Every stage but the first goes on where the one before it ended.
    is_continous: id > 1,
  }
}

/** The points of a wallet in an epoch. */
type Points = (epoch: number) => number

/** Points by wallet: those of its accounts together. */
function pointsByWallet(exchange: VenueState, nowMs: number): ReadonlyMap<string, Points> {
  const wallets = new Map<string, Map<number, number>>()
  for (const participant of participantsOf(exchange, nowMs)) {
    const points = wallets.getOrInsertComputed(participant.address, () => new Map())
    for (const row of epochsOf(participant))
      points.set(row.epoch, (points.get(row.epoch) ?? 0) + pointsOf(row))
  }
  const pointsIn = (points: ReadonlyMap<number, number>) => (epoch: number) =>
    points.get(epoch) ?? 0
  return new Map(Array.from(wallets, ([address, points]) => [address, pointsIn(points)]))
}

function sumOver(points: Points, { from, to }: Bounds): number {
  let sum = 0
  for (let epoch = from; epoch <= to; epoch += 1) sum += points(epoch)
  return sum
}

/** The sum of a wallet, and its rank: one more than there are wallets with more. */
function rankedIn(wallets: ReadonlyMap<string, Points>, own: Points, bounds: Bounds) {
  const points = sumOver(own, bounds)
  let rank = 1
  for (const other of wallets.values()) if (sumOver(other, bounds) > points) rank += 1
  return { rank, points }
}

/** The leaders of a stage, or of the part of it in this week or the last. A wallet without points has no rank. */
function rankings(exchange: VenueState, { query, nowMs }: VenueCall) {
  const period = requiredQuery(query, 'period')
  const bounds = periodOf(period, stageOf(exchange.simulation().engine.world, query), nowMs)
  const rows = Array.from(pointsByWallet(exchange, nowMs), ([address, points]) => ({
    rank: 0,
    address,
    total_points: sumOver(points, bounds),
  }))
    .filter((row) => row.total_points > 0)
    .sort((a, b) => b.total_points - a.total_points || (a.address < b.address ? -1 : 1))
  // Equal points share the better rank.
  for (const [at, row] of rows.entries()) {
    const above = rows[at - 1]
    row.rank = above?.total_points === row.total_points ? above.rank : at + 1
  }
  return pageOf(rows, query, RANKED_ROWS)
}

function stageOf(world: Began, query: URLSearchParams): Bounds {
  requiredQuery(query, 'stage')
  const id = positive(query, 'stage', 1)
  const stage = STAGES.find((each) => each.id === id)
  if (!stage) throw refusal('notFound', 'The stage is not found')
  return boundsOf(world, stage)
}

function periodOf(period: string, { from, to }: Bounds, nowMs: number): Bounds {
  const current = epochOf(nowMs)
  if (period === 'all_time') return { from, to: Math.min(to, current) }
  if (period !== 'this_week' && period !== 'last_week')
    throw refusal('parameter', 'period must be all_time, last_week or this_week')
  const week = period === 'this_week' ? current : current - 1
  return { from: Math.max(from, week), to: Math.min(to, week) }
}

/** The points of one wallet at every builder, and its rank among all. Throws the refusal of a wallet without account. */
function pointsOfWallet(exchange: VenueState, { query, nowMs }: VenueCall) {
  const { world } = exchange.simulation().engine
  const wallets = pointsByWallet(exchange, nowMs)
  const own = wallets.get(addressOf(query))
  if (!own) throw refusal('noAccount')
  const current = epochOf(nowMs)
  const rankedOver = (from: number, to: number) => rankedIn(wallets, own, { from, to })
  const total = rankedOver(firstEpochOf(world), current)
  const running = rankedOver(current, current)
  return {
    total_points: total.points,
    global_rank: total.rank,
    tier: TIER_POINTS.filter((points) => total.points >= points).length,
    current_epoch_points: running.points,
    current_epoch_rank: running.rank,
    rows: epochsUntil(world, nowMs)
      .filter((epoch) => own(epoch) > 0)
      .map((epoch) => ({ ...rankedOver(epoch, epoch), epoch_id: epoch })),
  }
}
