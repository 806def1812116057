import { type Difference, differencesOf } from './compare.ts'
import { type Figures, figuresOf } from './figures.ts'
import * as ledger from './ledger.ts'
import { bookLiquidations } from './liquidations.ts'
import {
  count,
  expectNear,
  MICRO,
  type Moment,
  RATE,
  type Scenario,
  type Side,
  worldOf,
} from './scenario.ts'
import type { Row } from './wire.ts'

/** Books what the wire says has happened to an account, and compares every figure. */
export async function compare(scenario: Scenario, side: Side, at: string): Promise<Figures> {
  const { client, account } = side
  const read = async (path: string): Promise<Row> => (await client.call('GET', path)).data
  const world = worldOf(scenario)
  await bookTrades(scenario, side, { world, at })
  account.orders = (await read('/v1/orders?status=INCOMPLETE&size=500'))['rows'].map(orderOf)
  await bookLiquidations(scenario, side, { world, at })
  ledger.chargeAll(account, world.now)
  const figures = figuresOf(account, world)
  count(scenario, 'markets with both modes', bothModes(figures))
  const reads = {
    positions: await read('/v1/positions'),
    holding: (await read('/v1/client/holding?all=true'))['holding'],
    info: await read('/v1/client/info'),
  }
  const { differences, compared } = differencesOf(account, figures, {
    ...{ reads, world, slack: side.slack },
  })
  count(scenario, 'figures', compared)
  for (const difference of [...differences, ...unsafe(figures)])
    scenario.differences.push({ at, ...difference })
  return figures
}

async function bookTrades(scenario: Scenario, side: Side, { world, at }: Moment): Promise<void> {
  const { data } = await side.client.call('GET', '/v1/trades?size=100')
  const rows: Row[] = data.rows.filter(({ id }: Row) => id > side.lastTrade)
  for (const row of rows.sort((a, b) => a['id'] - b['id'])) {
    const sumUnitary = world.now.get(row['symbol'])?.sumUnitary ?? 0
    const realized = ledger.book(side.account, tradeOf(row), sumUnitary)
    side.lastTrade = row['id']
    side.slack += MICRO + RATE * row['executed_price'] * row['executed_quantity']
    count(scenario, 'trades')
    expectNear(scenario, at, {
      figure: 'realized_pnl',
      venue: row['realized_pnl'],
      model: realized,
    })
  }
}

function tradeOf(row: Row): ledger.Trade {
  return {
    symbol: row['symbol'],
    side: row['side'],
    price: row['executed_price'],
    quantity: row['executed_quantity'],
    fee: row['fee'],
    mode: row['margin_mode'],
  }
}

function orderOf(row: Row): ledger.OpenOrder {
  return {
    id: row['order_id'],
    symbol: row['symbol'],
    side: row['side'],
    price: row['price'],
    left: ledger.steps(row['quantity'] - row['total_executed_quantity']),
    reduceOnly: row['reduce_only'] === true,
    mode: row['margin_mode'],
  }
}

/** Accounts and isolated positions below their maintenance margin. */
function unsafe(figures: Figures): readonly Difference[] {
  const { notional, collateral, maintenance } = figures
  const slack = 0.00001 + notional * 1e-8
  const cross = notional > 0 && collateral < maintenance - slack
  const isolated = [...figures.markets.values()].filter(
    ({ mode, notional, mmr, position, unsettled }) =>
      mode === 'ISOLATED' &&
      position.margin + unsettled < notional * mmr - 0.00001 - notional * 1e-8,
  )
  return [
    ...(cross ? [{ figure: 'liquidated', venue: false, model: true }] : []),
    ...isolated.map(({ symbol }) => ({
      figure: `${symbol} liquidated`,
      venue: false,
      model: true,
    })),
  ]
}

/** In how many markets the account holds a cross and an isolated position at once. */
function bothModes({ markets }: Figures): number {
  const held = [...markets.values()].filter(({ notional }) => notional > 0)
  return held.length - new Set(held.map(({ symbol }) => symbol)).size
}
