import { mulDiv } from '../../engine/units.ts'
import { CHAINS } from '../../market/chains.ts'
import { orderPriceAt } from '../../programs/order-price.ts'
import { type Batch, POOLS, type Pool } from '../../programs/pools.ts'
import { treasuryOf } from '../../programs/treasury.ts'
import { ONE } from '../../units.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, rateOf } from '../figures.ts'
import type { Holding, StakingParts } from './holding.ts'

type PoolName = keyof typeof POOLS

/** The rows of both reward pools; `of` answers for the wallet that is asked for. */
export function poolRows(
  parts: StakingParts,
  of: (answer: (holding: Holding) => unknown) => VenueRow['answer'],
): readonly VenueRow[] {
  const poolNow = (name: PoolName, { nowMs }: VenueCall) =>
    treasuryOf(parts.exchange, parts.merits, nowMs).pool(name)
  return [
    publicRead('/v1/staking/valor/pool_info', (call) => firstPool(poolNow('first', call))),
    publicRead('/v1/staking/valor2/pool_info', (call) =>
      secondPool(poolNow('second', call), orderPriceAt(seedOf(parts), call.nowMs)),
    ),
    publicRead('/v1/staking/valor/batch_info', (call) => batches(poolNow('first', call))),
    publicRead('/v1/staking/valor2/batch_info', (call) => batches(poolNow('second', call))),
    publicRead('/v1/staking/valor2/revenue_buyback', (call) => buybacks(poolNow('second', call))),
    publicRead('/v1/staking/valor/redeem', of(firstRedemptions)),
    publicRead('/v1/staking/valor2/redeem', of(secondRedemptions)),
  ]
}

function seedOf({ exchange }: StakingParts): number {
  return exchange.floor().engine.world.seed
}

function firstPool(pool: Pool) {
  return { valor_price_usdc: valorPrice(pool), ...poolFigures('first', pool) }
}

function secondPool(pool: Pool, price: number) {
  return {
    valor_price_esorder: valorPrice(pool),
    order_price_usdc: amountOf(price),
    current_batch_id: running(pool).id,
    ...poolFigures('second', pool),
  }
}

function poolFigures(name: PoolName, pool: Pool) {
  const { revenue, endMs } = running(pool)
  return {
    revenue_rate: POOLS[name].revenuePercent / 100,
    treasury_pool_value: amountOf(pool.treasury),
    est_treasury_inflow: amountOf(revenue),
    total_redeemed_amount: amountOf(pool.redeemedTotal),
    next_settlement_date: new Date(endMs).toISOString().slice(0, 10),
  }
}

/** What of the treasury one VALOR is, eight decimals. */
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

/** Of the batches that are over. */
function buybacks({ batches: all }: Pool) {
  return all.slice(0, -1).map(({ id, revenue, bought }) => ({
    batch_id: id,
    usdc_revenue: amountOf(revenue),
    esorder_amount: amountOf(bought),
  }))
}

/** The first pool pays on the first chain. */
function firstRedemptions(holding: Holding) {
  const { redeeming, pending, available } = redemptionsOf(holding, 'first')
  const isPaid = pending + available > 0
  const [chain] = CHAINS
  return {
    redeeming_valor_amount: amountOf(redeeming),
    chain_details:
      isPaid && chain
        ? [
            {
              chain_id: chain.id,
              pending_usdc: amountOf(pending),
              available_usdc: amountOf(available),
            },
          ]
        : [],
  }
}

function secondRedemptions(holding: Holding) {
  const { id, redeeming, pending, available } = redemptionsOf(holding, 'second')
  return {
    redeeming_valor_amount: amountOf(redeeming),
    redeeming_valor_list:
      redeeming === 0 ? [] : [{ batch_id: id, redeem_amount: amountOf(redeeming) }],
    pending_esorder: amountOf(pending),
    available_esorder: amountOf(available),
  }
}

/** What a wallet redeems in the running batch, what the last one owes it, and what those before it have paid. */
function redemptionsOf({ accounts, treasury }: Holding, name: PoolName) {
  const pool = treasury.pool(name)
  const current = running(pool)
  const sumOf = (amounts: ReadonlyMap<number, number>) =>
    accounts.reduce((sum, { number }) => sum + (amounts.get(number) ?? 0), 0)
  const paid = pool.batches.slice(0, -1).map((batch) => sumOf(batch.paid))
  return {
    id: current.id,
    redeeming: sumOf(current.redeemed),
    pending: paid.at(-1) ?? 0,
    available: paid.slice(0, -1).reduce((sum, amount) => sum + amount, 0),
  }
}
