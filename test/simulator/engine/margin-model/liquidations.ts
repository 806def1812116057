import { type Figures, figuresOf, initialRate, sum, tokensValue } from './figures.ts'
import * as ledger from './ledger.ts'
import {
  count,
  expectNear,
  MICRO,
  type Moment,
  RATE,
  type Scenario,
  type Side,
} from './scenario.ts'
import { LIQUIDATION_FEES, type Row } from './wire.ts'

const STEP = 0.001

/** Takes what the venue liquidated out of the ledger, and compares its row with the account of before. */
export async function bookLiquidations(
  scenario: Scenario,
  side: Side,
  { world, at }: Moment,
): Promise<void> {
  const { data } = await side.client.call('GET', '/v1/liquidations')
  const rows: Row[] = data.rows.filter((row: Row) => !side.liquidations.has(row['liquidation_id']))
  for (const row of rows.sort((a, b) => a['liquidation_id'] - b['liquidation_id'])) {
    side.liquidations.add(row['liquidation_id'])
    side.slack += MICRO
    count(scenario, 'liquidations')
    takeOver(scenario, side, { row, world, at })
  }
}

type Taken = Moment & { readonly row: Row }

/** How far the mark of a row may be from the one at the next look, a share: time alone moves it by a few steps. */
const DRIFT_MAX = 0.0001

/** The world at the moment of a row, whose marks are those that it says, where they are near those of the next look. */
function worldAt(world: Moment['world'], row: Row): Moment['world'] {
  const now = new Map(world.now)
  for (const { symbol, mark_price } of row['positions_by_perp'] as Row[]) {
    const market = now.get(symbol)
    if (market && Math.abs(mark_price / market.mark - 1) <= DRIFT_MAX)
      now.set(symbol, { ...market, mark: mark_price })
  }
  return { ...world, now }
}

function takeOver(scenario: Scenario, side: Side, taken: Taken): void {
  const { row, at } = taken
  const world = worldAt(taken.world, row)
  const { account } = side
  ledger.chargeAll(account, world.now)
  const figures = figuresOf(account, world)
  const parts: readonly Row[] = row['positions_by_perp']
  const alone = isolatedOf(figures, row)
  const isolated = alone !== null
  const backed = alone ?? crossBacking(figures)
  const near = (figure: string, venue: number, model: number, within: number) =>
    expectNear(scenario, at, { figure: `liquidation ${figure}`, venue, model }, within)
  near('margin_ratio', row['margin_ratio'], backed.collateral / backed.notional, 1e-6)
  near('account_mmr', row['account_mmr'], backed.maintenance / backed.notional, 1e-6)
  near('position_notional', row['position_notional'], backed.notional, 0.0001)
  near('collateral_value', row['collateral_value'], backed.collateral, 0.0001)
  if (backed.collateral > backed.maintenance + 0.0001)
    scenario.differences.push({ at, figure: 'liquidated', venue: true, model: false })
  const isBankrupt = row['transfer_amount_to_insurance_fund'] !== 0
  count(
    scenario,
    `${isolated ? 'isolated' : 'cross'} ${isBankrupt ? 'to the fund' : 'to liquidators'}`,
  )
  const amounts = { figures, parts, at, world }
  if (isolated) expectWhole(scenario, amounts)
  else if (!isBankrupt) expectAmounts(scenario, amounts)
  for (const part of parts) {
    const { symbol, position_qty, transfer_price } = part as {
      symbol: string
      position_qty: number
      transfer_price: number
    }
    const position = ledger.positionOf(account, symbol, isolated ? 'ISOLATED' : 'CROSS')
    near('total_position', part['total_position'], position.quantity, 1e-8)
    near('mark_price', part['mark_price'], world.now.get(symbol)?.mark ?? 0, 1e-8)
    const user = LIQUIDATION_FEES.get(symbol)?.user ?? 0
    const value = Math.abs(position_qty) * transfer_price
    const fee = part['abs_liquidator_fee'] + part['abs_insurance_fund_fee']
    const taken = isBankrupt ? 0 : value * Math.min(user, backed.collateral / backed.notional)
    const reward = isBankrupt || !scenario.wire.hasLiquidator ? 0 : (value * user) / 2
    near('fee', fee, taken, 0.00001 + 2 * RATE * value)
    near('liquidator_fee', part['abs_liquidator_fee'], reward, 0.00001 + RATE * value)
    const usdc = account.usdc
    ledger.liquidate(account, position, { quantity: position_qty, price: transfer_price, fee })
    // The insurance fund takes what is left of it, or lacking.
    if (isBankrupt && isolated) account.usdc = usdc
  }
  if (!isBankrupt) return
  const balance = isolated ? backed.collateral : backed.collateral - tokensValue(account, world)
  near('transfer', row['transfer_amount_to_insurance_fund'], balance, 0.0001)
  if (isolated) return
  account.usdc = 0
  for (const [token] of account.tokens) account.tokens.set(token, 0)
  for (const position of account.positions.values())
    if (position.mode === 'CROSS') Object.assign(position, { cost: 0, funding: 0 })
}

/** What a whole take-over is limited to, in USDC, by liquidation tier. */
const WHOLE_BELOW: Readonly<Record<number, number>> = { 1: 10_000, 2: 5_000 }

type Amounts = Moment & { readonly figures: Figures; readonly parts: readonly Row[] }

/** The share that brings a cross account back to its initial ratio, where one position or tier one alone is taken. */
function expectAmounts(scenario: Scenario, { figures, parts, at, world }: Amounts): void {
  const held = [...figures.markets.values()].filter(
    ({ mode, notional }) => mode === 'CROSS' && notional > 0,
  )
  const { collateral, notional: whole } = figures
  const [tier = 0, ...otherTiers] = new Set(held.map(({ symbol }) => tierOf(symbol)))
  if (otherTiers.length > 0 || (tier === 2 && held.length > 1)) return
  const lacking = (share: number) =>
    sum(held, ({ symbol, notional, leverage }) => {
      const rules = world.rules.get(symbol)
      const user = Math.min(LIQUIDATION_FEES.get(symbol)?.user ?? 0, collateral / whole)
      const left = notional * (1 - share)
      return user * notional * share + (rules ? left * initialRate(rules, leverage, left) : 0)
    }) - collateral
  const share = whole < (WHOLE_BELOW[tier] ?? 0) ? 1 : smallestShare(lacking)
  count(scenario, share < 1 ? 'partly taken over' : 'wholly taken over')
  for (const { symbol, position } of held) {
    const taken = parts.find((part) => part['symbol'] === symbol)?.['position_qty'] ?? 0
    const shares = { venue: taken / position.quantity, model: share }
    const within = STEP / Math.abs(position.quantity)
    expectNear(scenario, at, { figure: `liquidation share ${symbol}`, ...shares }, within)
  }
}

/** An isolated position is taken over whole: its margin is all it has. */
function expectWhole(scenario: Scenario, { parts, at }: Amounts): void {
  for (const { symbol, total_position, position_qty } of parts as readonly Row[])
    expectNear(scenario, at, {
      figure: `liquidation of isolated ${symbol}`,
      ...{ venue: position_qty, model: total_position },
    })
}

function tierOf(symbol: string): number {
  return LIQUIDATION_FEES.get(symbol)?.tier ?? 0
}

/** The smallest share at which nothing is lacking; all of it where no share is enough. */
function smallestShare(lacking: (share: number) => number): number {
  let [low, high] = [0, 1]
  if (lacking(1) > 0) return 1
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (lacking(middle) > 0) low = middle
    else high = middle
  }
  return high
}

function crossBacking({ collateral, maintenance, notional }: Figures) {
  return { collateral, maintenance, notional }
}

/** What backs the isolated position that a row took over; null for a row of cross positions, which names no mode. */
function isolatedOf({ markets, collateral: shared }: Figures, row: Row) {
  const [part, ...others]: readonly Row[] = row['positions_by_perp']
  const market = markets.get(ledger.keyOf(part?.['symbol'], 'ISOLATED'))
  if (!market || market.notional === 0 || others.length > 0) return null
  const { notional, mmr, position, unsettled } = market
  const collateral = position.margin + unsettled
  const off = (backing: number) => Math.abs(row['collateral_value'] - backing)
  if (Math.abs(row['position_notional'] - notional) > 0.001 || off(shared) < off(collateral))
    return null
  return { notional, maintenance: notional * mmr, collateral }
}
