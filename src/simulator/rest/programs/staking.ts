import { DAY_MS } from '../../../contract/durations.ts'
import { MICRO, RATE_ONE, safeMulDiv, sumBy } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import { CHAINS } from '../../listing/chains.ts'
import { addressIn, queryChoice, utcDateText } from '../../messages/page.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import type { Participant } from '../../programs/participants.ts'
import {
  type Batch,
  earnedValor,
  orderPriceAt,
  POOLS,
  type PoolName,
  paidBy,
} from '../../programs/pools.ts'
import {
  type Staker,
  type Staking,
  stakeAt,
  stakingState,
  toStaker,
  totalStake,
  vestingEndMs,
} from '../../programs/staking.ts'
import { epochAt, epochStartMs } from '../../programs/tables.ts'

/** All stakes. `own` has the stakes of one wallet. */
type Holding = Staking & { readonly own: readonly Staker[] }

/** Endpoints for stakes, their earnings, and the payments of the pools. */
export function stakingRows(exchange: VenueState): readonly VenueRow[] {
  const all = (answer: (staking: Staking) => unknown) => (call: VenueCall) =>
    answer(stakingState(exchange, call.nowMs))
  const one = (answer: (holding: Holding, call: VenueCall) => unknown) => (call: VenueCall) => {
    const wallet = addressIn(call.query, 'address')
    const staking = stakingState(exchange, call.nowMs)
    return answer(
      { ...staking, own: staking.stakers.filter((each) => each.address === wallet) },
      call,
    )
  }
  const second = (staking: Staking) => ({
    order_price_usdc: wireUsdc(orderPriceAt(staking.seed, staking.nowMs)),
    current_batch_id: staking.batches('second').length,
  })
  return publicReadRows({
    '/v1/staking/overview': all(overview),
    '/v1/staking/balance': one(({ own, nowMs }) => stakedBy(own, nowMs)),
    '/v1/staking/unstake_details': one(unstaking),
    '/v1/staking/esorder/vesting_list': one(vesting),
    '/v1/staking/valor/pool_info': all((staking) => poolInfo(staking, 'first', 'valor_price_usdc')),
    '/v1/staking/valor2/pool_info': all((staking) => ({
      ...poolInfo(staking, 'second', 'valor_price_esorder'),
      ...second(staking),
    })),
    '/v1/staking/valor/batch_info': all(({ batches }) => batchRows(batches('first'))),
    '/v1/staking/valor2/batch_info': all(({ batches }) => batchRows(batches('second'))),
    '/v1/staking/valor2/revenue_buyback': all(({ batches }) =>
      batches('second')
        .slice(0, -1)
        .map(({ id, revenue, bought }) => ({
          batch_id: id,
          usdc_revenue: wireUsdc(revenue),
          esorder_amount: wireUsdc(bought),
        })),
    ),
    '/v1/staking/valor/redeem': one(firstRedemptions),
    '/v1/staking/valor2/redeem': one(secondRedemptions),
  })
}

/** The sum of some accounts' stakes. */
export function stakedBy(own: readonly Participant[], nowMs: number) {
  const stakes = own.map((each) => stakeAt(toStaker(each, nowMs), nowMs + 1))
  return {
    total_staked_balance: wireUsdc(sumBy(stakes, ({ all }) => all)),
    total_staked_order: wireUsdc(sumBy(stakes, ({ order }) => order)),
    total_staked_esorder: wireUsdc(sumBy(stakes, ({ esOrder }) => esOrder)),
  }
}

/** Number of days in the overview. */
const DAYS = 30

/** The days up to now, newest first. A day before today shows the stake at the beginning of its week. */
function overview({ stakers, nowMs, seed }: Staking) {
  const today = Math.floor(nowMs / DAY_MS)
  const days = stakers.flatMap((staker) => staker.days)
  const percent = POOLS.first.revenuePercent + POOLS.second.revenuePercent
  const rows = Array.from({ length: DAYS }, (_, back) => {
    const day = today - back
    const atMs = back === 0 ? nowMs + 1 : epochStartMs(epochAt(day * DAY_MS))
    const fees = sumBy(days, (each) => (each.day === day ? each.fees : 0))
    const price = orderPriceAt(seed, day * DAY_MS)
    return {
      date: utcDateText(day),
      usd_reward: wireUsdc(safeMulDiv(Math.max(0, fees), percent, 100, 'floor')),
      total_staked_usd: wireUsdc(safeMulDiv(totalStake(stakers, atMs), price, MICRO, 'floor')),
    }
  })
  return { total_stake: wireUsdc(totalStake(stakers, nowMs + 1)), rows }
}

/** The amounts that were unstaked in the last epoch. They are shown until the current epoch ends. */
function unstaking({ own, nowMs }: Holding) {
  const last = epochAt(nowMs) - 1
  const earnings = own.flatMap((staker) => staker.earnings)
  const total = sumBy(earnings, ({ epoch, unstaked }) => (epoch === last ? unstaked : 0))
  return {
    total_unstake_order: wireUsdc(total),
    unstaked_end_time: total === 0 ? 0 : epochStartMs(last + 2),
  }
}

/** Upper bound of the number of accounts, so that an id can combine an epoch and an account. */
const REQUESTS_PER_EPOCH = 1_000_000

/** The vesting requests, one per account and epoch. Vested amounts are claimed automatically. */
function vesting({ own, nowMs }: Holding, { query }: VenueCall) {
  const isVesting = queryChoice(query, 'is_vesting', ['true', 'false']) === 'true'
  const rows = own.flatMap(({ number, earnings }) =>
    earnings
      .filter(({ vested, epoch }) => vested > 0 && vestingEndMs(epoch) > nowMs === isVesting)
      .map(({ epoch, vested }) => ({
        vest_request_id: epoch * REQUESTS_PER_EPOCH + number,
        vest_start_time: epochStartMs(epoch + 1),
        vest_end_time: vestingEndMs(epoch),
        total_vest_amount: wireUsdc(vested),
        status: isVesting ? 'vesting' : 'claimed',
      })),
  )
  return { rows }
}

/** The running batch of a pool. `priceName` names the field with the treasury per VALOR (eight decimals). */
function poolInfo({ batches }: Staking, name: PoolName, priceName: string) {
  const ended = batches(name)
  const running = ended.pop()
  if (!running) throw new RangeError('a pool without a batch')
  return {
    [priceName]: wireRate(paidBy(running, RATE_ONE)),
    revenue_rate: POOLS[name].revenuePercent / 100,
    treasury_pool_value: wireUsdc(running.treasury),
    est_treasury_inflow: wireUsdc(running.revenue),
    total_redeemed_amount: wireUsdc(sumBy(ended, ({ valor }) => valor)),
    next_settlement_date: utcDateText(running.endMs / DAY_MS),
  }
}

function batchRows(batches: readonly Batch[]) {
  return {
    rows: batches.map(({ id, startMs, endMs }) => ({
      batch_id: id,
      batch_start_time: startMs,
      batch_end_time: endMs,
    })),
  }
}

/** The redemptions of the first pool, which pays on the first chain. */
function firstRedemptions(holding: Holding) {
  const { redeeming, pending, available } = walletRedemptions(holding, 'first')
  const [chain] = pending + available > 0 ? CHAINS : []
  const row = { pending_usdc: wireUsdc(pending), available_usdc: wireUsdc(available) }
  return {
    redeeming_valor_amount: wireUsdc(redeeming),
    chain_details: chain ? [{ chain_id: chain.id, ...row }] : [],
  }
}

function secondRedemptions(holding: Holding) {
  const { id, redeeming, pending, available } = walletRedemptions(holding, 'second')
  const row = { batch_id: id, redeem_amount: wireUsdc(redeeming) }
  return {
    redeeming_valor_amount: wireUsdc(redeeming),
    redeeming_valor_list: redeeming === 0 ? [] : [row],
    pending_esorder: wireUsdc(pending),
    available_esorder: wireUsdc(available),
  }
}

/** A wallet's redemptions: of the current batch, of the last batch (pending), and of earlier batches (available). */
function walletRedemptions({ own, batches }: Holding, name: PoolName) {
  const rows = batches(name).map((batch) => {
    const valors = own.map((staker) => earnedValor(stakeAt(staker, batch.startMs).all))
    const paid = sumBy(valors, (valor) => paidBy(batch, valor))
    return { valor: sumBy(valors, (valor) => valor), paid }
  })
  return {
    id: rows.length,
    redeeming: rows.at(-1)?.valor ?? 0,
    pending: rows.at(-2)?.paid ?? 0,
    available: sumBy(rows.slice(0, -2), ({ paid }) => paid),
  }
}
