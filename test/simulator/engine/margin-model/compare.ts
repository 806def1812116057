import { type Figures, type MarketFigures, sum, type World } from './figures.ts'
import { type Account, keyOf, leverageOf, modeOf } from './ledger.ts'
import type { Row } from './wire.ts'

/** A figure of the wire that the model computes otherwise. */
export type Difference = {
  readonly figure: string
  readonly venue: unknown
  readonly model: unknown
}

/** What a client reads of its account in one moment. */
export type Reads = {
  readonly positions: Row
  readonly holding: readonly Row[]
  readonly info: Row
}

type Compared = readonly [figure: string, venue: unknown, model: number | string, within: number]

/** Amounts are whole millionths of a USDC, each event may round one. */
const MICRO = 0.000001
/** Rates and ratios have eight decimals. */
const RATE = 0.00000001
const TICK = 0.1

/** Every figure in which the wire and the model differ by more than rounding, and how many were compared. */
export function differencesOf(
  account: Account,
  figures: Figures,
  { reads, world, slack }: { readonly reads: Reads; readonly world: World; readonly slack: number },
): { readonly differences: readonly Difference[]; readonly compared: number } {
  const isolated = sum([...figures.markets.values()], (market) =>
    market.mode === 'ISOLATED' ? market.notionalWithOrders : 0,
  )
  const money = 3 * MICRO + slack + RATE * isolated
  const all: readonly Compared[] = [
    ...summary(reads.positions, figures, money),
    ...summary(reads.info, figures, money).filter(([name]) => name in reads.info),
    ...holdings(account, figures, { rows: reads.holding, money }),
    ...[...figures.markets.values()].flatMap((market) => marketRows(market, reads, money)),
    ...strangers(figures, reads),
    ...notionals(account, { reads, world }),
  ]
  const differences = all
    .filter(([, venue, model, within]) => !isEqual(venue, model, within))
    .map(([figure, venue, model]) => ({ figure, venue, model }))
  return { differences, compared: all.length }
}

function isEqual(venue: unknown, model: number | string, within: number): boolean {
  if (typeof model === 'string') return venue === model
  return typeof venue === 'number' && Math.abs(venue - model) <= within + 1e-12 * Math.abs(model)
}

function summary(row: Row, figures: Figures, money: number): readonly Compared[] {
  const margin = money + RATE * figures.notionalWithOrders
  const ratio = (whole: number) => 2 * RATE + (whole === 0 ? 0 : money / whole)
  const { notional, notionalWithOrders } = figures
  const values = {
    total_collateral_value: [figures.collateral, money],
    free_collateral: [figures.free, margin],
    account_value: [figures.accountValue, money],
    margin_ratio: [figures.marginRatio, ratio(notional)],
    open_margin_ratio: [figures.ratioWithOrders, ratio(notionalWithOrders)],
    current_margin_ratio_with_orders: [figures.ratioWithOrders, ratio(notionalWithOrders)],
    initial_margin_ratio: [figures.initialRatio, ratio(notional)],
    initial_margin_ratio_with_orders: [figures.initialRatioWithOrders, ratio(notionalWithOrders)],
    maintenance_margin_ratio: [figures.maintenanceRatio, ratio(notional)],
    maintenance_margin_ratio_with_orders: [
      figures.maintenanceRatioWithOrders,
      ratio(notionalWithOrders),
    ],
  } as const
  return Object.entries(values).map(([name, [value, within]]) => [name, row[name], value, within])
}

function holdings(
  { usdc, tokens }: Account,
  { isolatedMargin, frozen }: Figures,
  { rows, money }: { readonly rows: readonly Row[]; readonly money: number },
): readonly Compared[] {
  const of = (token: string): Row => rows.find((row) => row['token'] === token) ?? {}
  const own = of('USDC')
  return [
    ['holding USDC', own['holding'], usdc, money],
    ['isolated_margin', own['isolated_margin'], isolatedMargin, money],
    ['isolated_order_frozen', own['isolated_order_frozen'], frozen, money],
    ...[...tokens].map(
      ([token, held]): Compared => [`holding ${token}`, of(token)['holding'], held, RATE],
    ),
  ]
}

function marketRows(market: MarketFigures, reads: Reads, money: number): readonly Compared[] {
  const { symbol, mode, position } = market
  const name = keyOf(symbol, mode)
  const row: Row | undefined = reads.positions['rows'].find((each: Row) => nameOf(each) === name)
  if (!row) {
    const isGone = position.quantity === 0 && market.pendingLong + market.pendingShort === 0
    return [[`${name} row`, 'absent', isGone ? 'absent' : 'present', 0]]
  }
  const values = {
    leverage: [market.leverage, 0],
    position_qty: [position.quantity, RATE],
    mark_price: [market.mark, RATE],
    average_open_price: [position.averageOpen, money],
    cost_position: [position.cost, money],
    unsettled_pnl: [market.unsettled, money],
    accrued_funding_fee: [position.funding, money],
    pending_long_qty: [market.pendingLong, RATE],
    pending_short_qty: [market.pendingShort, RATE],
    imr: [market.imr, RATE],
    mmr: [market.mmr, RATE],
    IMR_withdraw_orders: [market.imrWithOrders, RATE],
    MMR_with_orders: [market.mmrWithOrders, RATE],
    margin: [position.margin, money],
    fee_24_h: [position.fees, money],
    est_liq_price: [market.liquidation, TICK],
  } as const
  return Object.entries(values).map(([figure, [value, within]]) => [
    `${name} ${figure}`,
    row[figure],
    value,
    within,
  ])
}

/** Rows of markets and modes in which the account has nothing, and rows that come twice. */
function strangers({ markets }: Figures, { positions }: Reads): readonly Compared[] {
  const names: readonly string[] = positions['rows'].map(nameOf)
  const odd = names.filter((name, at) => !markets.has(name) || names.indexOf(name) !== at)
  return [['rows too many', odd.length, 0, 0]]
}

function nameOf(row: Row): string {
  return keyOf(row['symbol'], row['margin_mode'])
}

/** `max_notional = (1 / (lev x f))^(1/0.8)` of every market, at the leverage of its default mode. */
function notionals(
  account: Account,
  { reads, world }: { readonly reads: Reads; readonly world: World },
): readonly Compared[] {
  return [...world.rules.values()].map(({ symbol, factor, baseImr }) => {
    const asked = leverageOf(account, symbol, modeOf(account, symbol))
    const leverage = Math.min(asked, Math.floor(1 / baseImr + 1e-9))
    const value = (1 / (leverage * factor)) ** 1.25
    return [`max_notional ${symbol}`, reads.info['max_notional'][symbol], value, 1]
  })
}
