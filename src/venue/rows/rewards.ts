import { isAddress } from '../../core/hex.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { spanBefore, spanStart, WEEK_MS } from '../market/price/spans.ts'
import { sumOf } from '../units.ts'
import { requiredQuery } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../wire/row.ts'

/** Epochs are weeks; this one and as many before it are told. */
const EPOCHS_BEFORE = 11
const USDC = 1_000_000n

/** The rewards of users: a point for every USDC traded, counted by week. */
export function rewardRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  return [
    publicRead('/v1/public/points/epoch_dates', ({ nowMs }) => ({
      rows: epochsAt(nowMs).map((startMs) => ({
        epoch_id: epochId(startMs),
        epoch_start_date: startMs,
        epoch_end_date: startMs + WEEK_MS,
      })),
    })),
    publicRead('/v1/client/points', (call) => pointsOf(exchange, call)),
  ]
}

function epochsAt(nowMs: number): readonly number[] {
  return Array.from({ length: EPOCHS_BEFORE + 1 }, (_, back) => spanBefore(WEEK_MS, nowMs, back))
}

function epochId(startMs: number): number {
  return Math.floor(startMs / WEEK_MS)
}

/** The points of one wallet at every broker, and its rank among all. Throws the refusal of a wallet without account. */
function pointsOf({ accounts }: Exchange, { query, nowMs }: VenueCall) {
  const address = requiredQuery(query, 'address').toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', 'address is invalid')
  const wallets = Map.groupBy(accounts.values(), ({ profile }) => profile.address)
  if (!wallets.has(address)) throw refusal('noAccount')
  const standing = (startMs?: number) => standingOf(wallets, address, startMs)
  const total = standing()
  const current = standing(spanStart(WEEK_MS, nowMs))
  return {
    total_points: total.points,
    global_rank: total.rank,
    tier: 1,
    current_epoch_points: current.points,
    current_epoch_rank: current.rank,
    rows: epochsAt(nowMs)
      .map((startMs) => ({ ...standing(startMs), epoch_id: epochId(startMs) }))
      .filter(({ points }) => points > 0),
  }
}

/** Points of the week that starts then, or of all time, and how many wallets have as many or more. */
function standingOf(
  wallets: ReadonlyMap<string, readonly Account[]>,
  address: string,
  startMs?: number,
) {
  const pointsBy = (own: readonly Account[]) => Number(sumOf(own, volumeIn(startMs)) / USDC)
  const points = pointsBy(wallets.get(address) ?? [])
  const better = [...wallets.values()].filter((own) => pointsBy(own) > points)
  return { rank: better.length + 1, points }
}

function volumeIn(startMs: number | undefined): (account: Account) => bigint {
  if (startMs === undefined) return ({ profile }) => profile.volume
  const isIn = (date: string) => spanStart(WEEK_MS, Date.parse(date)) === startMs
  return ({ days }) =>
    sumOf(
      [...days.values()].filter(({ date }) => isIn(date)),
      ({ volume }) => volume,
    )
}
