import { DAY_MS } from '../../../spec/durations.ts'
import { MICRO, mulDiv } from '../../engine/units.ts'
import { tradersOf } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import { epochOf, epochStartMs } from '../../programs/epochs.ts'
import type { Merits } from '../../programs/merits.ts'
import { orderPriceOf } from '../../programs/order-price.ts'
import { POOLS } from '../../programs/pools.ts'
import { unstakingEndMs, vestingEndMs, vestingStartMs } from '../../programs/stakes.ts'
import { treasuryOf } from '../../programs/treasury.ts'
import { requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { type Holding, holdingOf, type StakingParts, stakedBy } from './holding.ts'
import { poolRows } from './pools.ts'

/** How many days the overview tells. */
const DAYS = 30

/** What is staked, what it has earned, and what the pools pay for that: of users and agents alike. */
export function stakingRows(parts: StakingParts): readonly VenueRow[] {
  const of = (answer: (holding: Holding, call: VenueCall) => unknown) => (call: VenueCall) =>
    answer(holdingOf(parts, call), call)
  return [
    publicRead('/v1/staking/overview', ({ nowMs }) => overview(parts, nowMs)),
    publicRead('/v1/staking/balance', of(balance)),
    publicRead('/v1/staking/unstake_details', of(unstaking)),
    publicRead('/v1/staking/esorder/vesting_list', of(vesting)),
    ...poolRows(parts, of),
  ]
}

/** The days up to now, newest first. Days before today are told with what was staked when their week began. */
function overview({ exchange, merits }: StakingParts, nowMs: number) {
  const { seed } = exchange.floor().engine.world
  const treasury = treasuryOf(exchange, merits, nowMs)
  const today = Math.floor(nowMs / DAY_MS)
  const stakeOn = (day: number) =>
    treasury.totalAt(day === today ? nowMs + 1 : epochStartMs(epochOf(day * DAY_MS)))
  const rows = Array.from({ length: DAYS }, (_, back) => today - back).map((day) => ({
    date: new Date(day * DAY_MS).toISOString().slice(0, 10),
    usd_reward: amountOf(rewardOn(exchange, merits, day)),
    total_staked_usd: amountOf(mulDiv(stakeOn(day), orderPriceOf(seed, day), MICRO, 'floor')),
  }))
  return { total_stake: amountOf(treasury.totalAt(nowMs + 1)), rows }
}

/** What the pools together took of a day's fees. */
function rewardOn(exchange: Exchange, merits: Merits, day: number): number {
  let fees = merits.past().feesOf(day)
  for (const { days } of tradersOf(exchange))
    for (const each of days) if (each.day === day) fees += each.fees
  const percent = POOLS.first.revenuePercent + POOLS.second.revenuePercent
  return mulDiv(Math.max(0, fees), percent, 100, 'floor')
}

function balance(holding: Holding) {
  const { order, esOrder } = stakedBy(holding)
  return {
    total_staked_balance: amountOf(order + esOrder),
    total_staked_order: amountOf(order),
    total_staked_esorder: amountOf(esOrder),
  }
}

/** What the last epoch has given back; until the running one ends. */
function unstaking({ accounts, treasury, nowMs }: Holding) {
  const last = epochOf(nowMs) - 1
  let total = 0
  for (const account of accounts)
    for (const { epoch, unstaked } of treasury.earningsOf(account))
      if (epoch === last) total += unstaked
  return {
    total_unstake_order: amountOf(total),
    unstaked_end_time: total === 0 ? 0 : unstakingEndMs(last),
  }
}

/** One request for each account and epoch; what has vested is claimed by itself. */
function vesting({ accounts, treasury, nowMs }: Holding, { query }: VenueCall) {
  const wanted = isVesting(requiredQuery(query, 'is_vesting'))
  const requests = accounts.flatMap((account) =>
    treasury.earningsOf(account).map((earning) => ({ account, ...earning })),
  )
  const rows = requests
    .filter(({ vested, epoch }) => vested > 0 && vestingEndMs(epoch) > nowMs === wanted)
    .map(({ account, epoch, vested }) => ({
      vest_request_id: epoch * REQUESTS_PER_EPOCH + account.number,
      vest_start_time: vestingStartMs(epoch),
      vest_end_time: vestingEndMs(epoch),
      total_vest_amount: amountOf(vested),
      status: wanted ? 'vesting' : 'claimed',
    }))
  return { rows }
}

/** More than there are ever accounts, so that ids are the epoch's and the account's. */
const REQUESTS_PER_EPOCH = 1_000_000

function isVesting(text: string): boolean {
  const lower = text.toLowerCase()
  if (lower !== 'true' && lower !== 'false')
    throw refusal('parameter', 'is_vesting must be true or false')
  return lower === 'true'
}
