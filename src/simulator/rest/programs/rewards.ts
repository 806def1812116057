import { sumBy } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import {
  addressIn,
  positive,
  queryChoice,
  queryText,
  requiredQuery,
  shapedPage,
} from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { allParticipants, participantEpochs } from '../../programs/participants.ts'
import { epochAt, epochStartMs, firstEpoch, STAGES, stageEpochs } from '../../programs/tables.ts'

/** The points that each tier requires. */
const TIER_POINTS = [0, 10_000, 1_000_000, 100_000_000, 1_000_000_000]
const RANKED_ROWS = 20

/** Endpoints for the rewards: points for trades and fees per week. */
export function rewardRows(exchange: VenueState): readonly VenueRow[] {
  return publicReadRows({
    '/v1/public/points/epoch_dates': ({ nowMs }) => ({
      rows: epochsUntil(exchange, nowMs).map((epoch) => ({
        epoch_id: epoch,
        epoch_start_date: epochStartMs(epoch),
        epoch_end_date: epochStartMs(epoch + 1),
      })),
    }),
    '/v1/public/points/stages': (call) => stages(exchange, call),
    '/v1/public/points/rankings': (call) => rankings(exchange, call),
    '/v1/client/points': (call) => pointsOfWallet(exchange, call),
  })
}

/** The running epoch and all earlier epochs with figures, newest first. */
function epochsUntil({ simulation }: VenueState, nowMs: number): readonly number[] {
  const current = epochAt(nowMs)
  const length = current - firstEpoch(simulation().engine.world) + 1
  return Array.from({ length }, (_, back) => current - back)
}

/** The stages that have begun, or those with the queried status. Times are seconds, as on the wire. */
function stages({ simulation }: VenueState, { query, nowMs }: VenueCall) {
  requiredQuery(query, 'broker_id')
  const [id, wanted] = [queryText(query, 'stage_id'), queryText(query, 'status')]
  const rows = STAGES.filter((stage) => id === null || String(stage.id) === id).map((stage) => {
    const { from, to } = stageEpochs(stage, simulation().engine.world)
    const begun = epochAt(nowMs) > to ? 'completed' : 'active'
    return {
      stage_id: stage.id,
      start_time: epochStartMs(from) / 1000,
      end_time: epochStartMs(to + 1) / 1000,
      status: epochAt(nowMs) < from ? 'pending' : begun,
      stage_name: stage.name,
      stage_description: stage.description,
      // Each stage except the first begins when the previous stage ends.
      is_continous: stage.id > 1,
    }
  })
  return {
    rows: rows.filter(({ status }) => (wanted === null ? status !== 'pending' : status === wanted)),
  }
}

/** Returns a function that gives each wallet's points over a range of epochs, summed over its accounts. */
function pointsByWallet(exchange: VenueState, nowMs: number) {
  const wallets = Map.groupBy(allParticipants(exchange, nowMs), ({ address }) => address)
  const all = Array.from(wallets, ([address, own]) => ({
    address,
    epochs: own.flatMap(participantEpochs),
  }))
  return (from: number, to: number) =>
    new Map(
      all.map(({ address, epochs }) => [
        address,
        sumBy(epochs, ({ epoch, points }) => (epoch >= from && epoch <= to ? points : 0)),
      ]),
    )
}

/** The rank of some points: 1 plus the number of wallets with more points. Equal points share the better rank. */
function sharedRank(points: number, all: ReadonlyMap<string, number>): number {
  return [...all.values()].filter((other) => other > points).length + 1
}

/**
 * The leaders of a stage, or of the current or previous week within the stage. Only wallets with points have a rank.
 * Throws -1005 for a malformed query, -1006 for an unknown stage.
 */
function rankings(exchange: VenueState, { query, nowMs }: VenueCall) {
  requiredQuery(query, 'stage')
  const id = positive(query, 'stage', 1)
  const stage = STAGES.find((each) => each.id === id)
  if (!stage) throw refusal('notFound', 'The stage is not found')
  const { from, to } = stageEpochs(stage, exchange.simulation().engine.world)
  const period = queryChoice(query, 'period', ['all_time', 'last_week', 'this_week'])
  const week = epochAt(nowMs) - (period === 'last_week' ? 1 : 0)
  const first = period === 'all_time' ? from : Math.max(from, week)
  const all = pointsByWallet(exchange, nowMs)(first, Math.min(to, week))
  const rows = [...all]
    .filter(([, points]) => points > 0)
    .sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  const leaderRow = ([address, points]: readonly [string, number]) => ({
    rank: sharedRank(points, all),
    address,
    total_points: points,
  })
  return shapedPage(rows, query, leaderRow, RANKED_ROWS)
}

/**
 * The points of a wallet at every builder, and the wallet's rank among all wallets. Throws a refusal if the wallet has
 * no account.
 */
function pointsOfWallet(exchange: VenueState, { query, nowMs }: VenueCall) {
  const [address, pointsIn] = [addressIn(query, 'address'), pointsByWallet(exchange, nowMs)]
  const ranked = (from: number, to: number) => {
    const all = pointsIn(from, to)
    const points = all.get(address)
    if (points === undefined) throw refusal('noAccount')
    return { rank: sharedRank(points, all), points }
  }
  const epochs = epochsUntil(exchange, nowMs)
  const total = ranked(Math.min(...epochs), epochAt(nowMs))
  const running = ranked(epochAt(nowMs), epochAt(nowMs))
  return {
    total_points: total.points,
    global_rank: total.rank,
    tier: TIER_POINTS.filter((points) => total.points >= points).length,
    current_epoch_points: running.points,
    current_epoch_rank: running.rank,
    rows: epochs
      .map((epoch) => ({ ...ranked(epoch, epoch), epoch_id: epoch }))
      .filter(({ points }) => points > 0),
  }
}
