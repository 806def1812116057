import { isAddress } from '../../../core/hex.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import { ONE } from '../../base/decimals.ts'
import { MICRO, mulDiv } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import { CHAINS } from '../../listing/chains.ts'
import { amountOf, rateOf } from '../../messages/number.ts'
import { requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { type Batch, POOLS, type Pool, paidAt, redeemedOf } from '../../programs/pools.ts'
import {
  orderPriceAt,
  type Staker,
  type Staking,
  stakeAt,
  stakingOf,
  unstakingEndMs,
  vestingEndMs,
  vestingStartMs,
} from '../../programs/staking.ts'
import { epochOf, epochStartMs } from '../../programs/tables.ts'

/** A wallet's accounts among all stakes. */
type Holding = Staking & { readonly own: readonly Staker[] }

/** The stakes, their earnings, and what the pools pay for them. */
export function stakingRows(exchange: VenueState): readonly VenueRow[] {
  const seedOf = () => exchange.simulation().engine.world.seed
  const all = (path: string, answer: (staking: Staking) => unknown) =>
    publicRead(`/v1/staking/${path}`, ({ nowMs }) => answer(stakingOf(exchange, nowMs)))
  const one = (path: string, answer: (holding: Holding, call: VenueCall) => unknown) =>
    publicRead(`/v1/staking/${path}`, (call) => {
      const address = addressOf(call.query)
      const staking = stakingOf(exchange, call.nowMs)
      const own = staking.stakers.filter((staker) => staker.address === address)
      return answer({ ...staking, own }, call)
    })
  return [
    all('overview', (staking) => overview(staking, seedOf())),
    one('balance', ({ own, nowMs }) => balanceOf(own, nowMs)),
    one('unstake_details', unstaking),
    one('esorder/vesting_list', vesting),
    all('valor/pool_info', ({ pool }) => ({
      valor_price_usdc: valorPrice(pool('first')),
      ...poolFigures('first', pool('first')),
    })),
    all('valor2/pool_info', ({ pool, nowMs }) => ({
      valor_price_esorder: valorPrice(pool('second')),
      order_price_usdc: amountOf(orderPriceAt(seedOf(), nowMs)),
      current_batch_id: running(pool('second')).id,
      ...poolFigures('second', pool('second')),
    })),
    all('valor/batch_info', ({ pool }) => batches(pool('first'))),
    all('valor2/batch_info', ({ pool }) => batches(pool('second'))),
    all('valor2/revenue_buyback', ({ pool }) =>
      pool('second')
        .batches.slice(0, -1)
        .map(({ id, revenue, bought }) => ({
          batch_id: id,
          usdc_revenue: amountOf(revenue),
          esorder_amount: amountOf(bought),
        })),
    ),
    one('valor/redeem', firstRedemptions),
    one('valor2/redeem', secondRedemptions),
  ]
}

/** The wallet of a query, lower-case. Throws -1005 on no address. */
export function addressOf(query: URLSearchParams): string {
  const address = requiredQuery(query, 'address').toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', 'address is invalid')
  return address
}

/** The stakes of some participants together. */
export function stakedBy(exchange: VenueState, isOwn: (staker: Staker) => boolean, nowMs: number) {
  return stakesOf(stakingOf(exchange, nowMs).stakers.filter(isOwn), nowMs)
}

function stakesOf(own: readonly Staker[], nowMs: number) {
  let [order, esOrder] = [0, 0]
  for (const staker of own) {
    const stake = stakeAt(staker, nowMs + 1)
    order += stake.order
    esOrder += stake.esOrder
  }
  return { order, esOrder }
}

/** How many days the overview lists. */
const DAYS = 30

/** The days up to now, newest first. Days before today have the stake of the beginning of their week. */
function overview({ stakers, totalAt, nowMs }: Staking, seed: number) {
  const today = Math.floor(nowMs / DAY_MS)
  const fees = new Map<number, number>()
  for (const { days } of stakers)
    for (const row of days) fees.set(row.day, (fees.get(row.day) ?? 0) + row.fees)
  const percent = POOLS.first.revenuePercent + POOLS.second.revenuePercent
  const rows = Array.from({ length: DAYS }, (_, back) => today - back).map((day) => {
    const staked = totalAt(day === today ? nowMs + 1 : epochStartMs(epochOf(day * DAY_MS)))
    const price = orderPriceAt(seed, day * DAY_MS)
    return {
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      usd_reward: amountOf(mulDiv(Math.max(0, fees.get(day) ?? 0), percent, 100, 'floor')),
      total_staked_usd: amountOf(mulDiv(staked, price, MICRO, 'floor')),
    }
  })
  return { total_stake: amountOf(totalAt(nowMs + 1)), rows }
}

function balanceOf(own: readonly Staker[], nowMs: number) {
  const { order, esOrder } = stakesOf(own, nowMs)
  return {
    total_staked_balance: amountOf(order + esOrder),
    total_staked_order: amountOf(order),
    total_staked_esorder: amountOf(esOrder),
  }
}

/** What the last epoch has given back; until the running one ends. */
function unstaking({ own, nowMs }: Holding) {
  const last = epochOf(nowMs) - 1
  let total = 0
  for (const { earnings } of own)
    for (const { epoch, unstaked } of earnings) if (epoch === last) total += unstaked
  return {
    total_unstake_order: amountOf(total),
    unstaked_end_time: total === 0 ? 0 : unstakingEndMs(last),
  }
}

/** More than there are ever accounts, so that ids are the epoch's and the account's. */
const REQUESTS_PER_EPOCH = 1_000_000

/** One request for each account and epoch; what has vested is claimed by itself. */
function vesting({ own, nowMs }: Holding, { query }: VenueCall) {
  const text = requiredQuery(query, 'is_vesting').toLowerCase()
  if (text !== 'true' && text !== 'false')
    throw refusal('parameter', 'is_vesting must be true or false')
  const wanted = text === 'true'
  const rows = own
    .flatMap(({ number, earnings }) => earnings.map((earning) => ({ number, ...earning })))
    .filter(({ vested, epoch }) => vested > 0 && vestingEndMs(epoch) > nowMs === wanted)
    .map(({ number, epoch, vested }) => ({
      vest_request_id: epoch * REQUESTS_PER_EPOCH + number,
      vest_start_time: vestingStartMs(epoch),
      vest_end_time: vestingEndMs(epoch),
      total_vest_amount: amountOf(vested),
      status: wanted ? 'vesting' : 'claimed',
    }))
  return { rows }
}

function poolFigures(name: keyof typeof POOLS, pool: Pool) {
  const { revenue, endMs } = running(pool)
  return {
    revenue_rate: POOLS[name].revenuePercent / 100,
    treasury_pool_value: amountOf(pool.treasury),
    est_treasury_inflow: amountOf(revenue),
    total_redeemed_amount: amountOf(pool.redeemedTotal),
    next_settlement_date: new Date(endMs).toISOString().slice(0, 10),
  }
}

/** The part of the treasury for one VALOR, eight decimals. */
function valorPrice({ treasury, outstanding }: Pool) {
  return rateOf(outstanding === 0 ? 0 : mulDiv(treasury, Number(ONE), outstanding, 'floor'))
}

function running({ batches: all }: Pool): Batch {
  const last = all.at(-1)
  if (!last) throw new RangeError('a pool without a batch')
  return last
}

function batches({ batches: all }: Pool) {
  return {
    rows: all.map(({ id, startMs, endMs }) => ({
      batch_id: id,
      batch_start_time: startMs,
      batch_end_time: endMs,
    })),
  }
}

/** The first pool pays on the first chain. */
function firstRedemptions(holding: Holding) {
  const { redeeming, pending, available } = redemptionsOf(holding, 'first')
  const [chain] = pending + available > 0 ? CHAINS : []
  const row = { pending_usdc: amountOf(pending), available_usdc: amountOf(available) }
  return {
    redeeming_valor_amount: amountOf(redeeming),
    chain_details: chain ? [{ chain_id: chain.id, ...row }] : [],
  }
}

function secondRedemptions(holding: Holding) {
  const { id, redeeming, pending, available } = redemptionsOf(holding, 'second')
  const row = { batch_id: id, redeem_amount: amountOf(redeeming) }
  return {
    redeeming_valor_amount: amountOf(redeeming),
    redeeming_valor_list: redeeming === 0 ? [] : [row],
    pending_esorder: amountOf(pending),
    available_esorder: amountOf(available),
  }
}

/** What a wallet redeems in the running batch, what the last one owes it, and what those before it have paid. */
function redemptionsOf({ own, pool }: Holding, name: keyof typeof POOLS) {
  const { batches: all } = pool(name)
  const sumOf = (amountIn: (staked: number) => number, { startMs }: Batch) =>
    own.reduce((sum, staker) => {
      const { order, esOrder } = stakeAt(staker, startMs)
      return sum + amountIn(order + esOrder)
    }, 0)
  const paid = all
    .slice(1, -1)
    .map((batch) => sumOf((staked) => paidAt(batch.rate, redeemedOf(staked)), batch))
  const current = running(pool(name))
  return {
    id: current.id,
    redeeming: all.length > 1 ? sumOf(redeemedOf, current) : 0,
    pending: paid.at(-1) ?? 0,
    available: paid.slice(0, -1).reduce((sum, amount) => sum + amount, 0),
  }
}
