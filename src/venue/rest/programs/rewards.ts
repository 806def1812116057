import { sumOf } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import {
  addressIn,
  choiceOf,
  positive,
  queryText,
  requiredQuery,
  shapedPage,
} from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReads, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { epochsOf, participantsOf, pointsOf } from '../../programs/participants.ts'
import { epochOf, epochStartMs, firstEpochOf, STAGES, type Stage } from '../../programs/tables.ts'

/** The points of each tier. */
const TIER_POINTS = [0, 10_000, 1_000_000, 100_000_000, 1_000_000_000]
const RANKED_ROWS = 20

/** The rewards: points for trades and fees, by the week. */
export function rewardRows(exchange: VenueState): readonly VenueRow[] {
  const worldOf = () => exchange.simulation().engine.world
  return publicReads({
    '/v1/public/points/epoch_dates': ({ nowMs }) => ({
      rows: epochsUntil(worldOf(), nowMs).map((epoch) => ({
        epoch_id: epoch,
        epoch_start_date: epochStartMs(epoch),
        epoch_end_date: epochStartMs(epoch + 1),
      })),
    }),
    '/v1/public/points/stages': (call) => stages(worldOf(), call),
    '/v1/public/points/rankings': (call) => rankings(exchange, call),
    '/v1/client/points': (call) => pointsOfWallet(exchange, call),
  })
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

/** The stages that have begun, or those of one status. Times are seconds, as on the wire. */
function stages(world: Began, { query, nowMs }: VenueCall) {
  requiredQuery(query, 'broker_id')
  const [id, wanted] = [queryText(query, 'stage_id'), queryText(query, 'status')]
  const rows = STAGES.filter((stage) => id === null || String(stage.id) === id)
    .map((stage) => stageRow(stage, boundsOf(world, stage), epochOf(nowMs)))
    .filter(({ status }) => (wanted === null ? status !== 'pending' : status === wanted))
  return { rows }
}

function stageRow({ id, name, description }: Stage, { from, to }: Bounds, current: number) {
  const begun = current > to ? 'completed' : 'active'
  return {
    stage_id: id,
    start_time: epochStartMs(from) / 1000,
    end_time: epochStartMs(to + 1) / 1000,
    status: current < from ? 'pending' : begun,
    stage_name: name,
    stage_description: description,
    // Every stage but the first begins at the end of the previous one.
    is_continous: id > 1,
  }
}

/** The points of a wallet in some epochs. */
type Points = (bounds: Bounds) => number

/** Points by wallet: those of its accounts together. */
function pointsByWallet(exchange: VenueState, nowMs: number): ReadonlyMap<string, Points> {
  const wallets = Map.groupBy(participantsOf(exchange, nowMs), ({ address }) => address)
  return new Map(
    Array.from(wallets, ([address, own]) => {
      const epochs = own
        .flatMap(epochsOf)
        .map((row) => ({ epoch: row.epoch, points: pointsOf(row) }))
      const points: Points = ({ from, to }) =>
        sumOf(epochs, (row) => (row.epoch >= from && row.epoch <= to ? row.points : 0))
      return [address, points]
    }),
  )
}

/** The leaders of a stage, or of the part of it in this week or the last. A wallet without points has no rank. */
function rankings(exchange: VenueState, { query, nowMs }: VenueCall) {
  const bounds = periodIn(query, stageOf(exchange.simulation().engine.world, query), nowMs)
  const rows = Array.from(pointsByWallet(exchange, nowMs), ([address, points]) => ({
    address,
    total_points: points(bounds),
  }))
    .filter((row) => row.total_points > 0)
    .sort((a, b) => b.total_points - a.total_points || (a.address < b.address ? -1 : 1))
  return shapedPage(
    rows,
    query,
    ({ address, total_points }) => ({
      // Equal points share the better rank.
      rank: rows.findIndex((row) => row.total_points === total_points) + 1,
      ...{ address, total_points },
    }),
    RANKED_ROWS,
  )
}

function stageOf(world: Began, query: URLSearchParams): Bounds {
  requiredQuery(query, 'stage')
  const id = positive(query, 'stage', 1)
  const stage = STAGES.find((each) => each.id === id)
  if (!stage) throw refusal('notFound', 'The stage is not found')
  return boundsOf(world, stage)
}

function periodIn(query: URLSearchParams, { from, to }: Bounds, nowMs: number): Bounds {
  const period = choiceOf(query, 'period', ['all_time', 'last_week', 'this_week'])
  const current = epochOf(nowMs)
  if (period === 'all_time') return { from, to: Math.min(to, current) }
  const week = period === 'this_week' ? current : current - 1
  return { from: Math.max(from, week), to: Math.min(to, week) }
}

/** The points of one wallet at every builder, and its rank among all. Throws the refusal of a wallet without account. */
function pointsOfWallet(exchange: VenueState, { query, nowMs }: VenueCall) {
  const { world } = exchange.simulation().engine
  const wallets = pointsByWallet(exchange, nowMs)
  const own = wallets.get(addressIn(query, 'address'))
  if (!own) throw refusal('noAccount')
  const current = epochOf(nowMs)
  // A rank is one more than the number of wallets with more points.
  const rankedOver = (from: number, to: number) => {
    const points = own({ from, to })
    const ahead = [...wallets.values()].filter((other) => other({ from, to }) > points)
    return { rank: ahead.length + 1, points }
  }
  const total = rankedOver(firstEpochOf(world), current)
  const running = rankedOver(current, current)
  return {
    total_points: total.points,
    global_rank: total.rank,
    tier: TIER_POINTS.filter((points) => total.points >= points).length,
    current_epoch_points: running.points,
    current_epoch_rank: running.rank,
    rows: epochsUntil(world, nowMs)
      .map((epoch) => ({ ...rankedOver(epoch, epoch), epoch_id: epoch }))
      .filter(({ points }) => points > 0),
  }
}
