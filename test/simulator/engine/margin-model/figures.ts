import {
  type Account,
  flatPosition,
  isolatedShare,
  keyOf,
  leverageOf,
  type Mode,
  type Now,
  type OpenOrder,
  type Position,
  type Rules,
} from './ledger.ts'
import { crossLiquidation, isolatedLiquidation } from './liquidation-price.ts'

/** A token that backs positions, as `/v1/public/token` publishes it. */
export type Collateral = {
  readonly token: string
  readonly weight: number
  readonly discountFactor: number
  readonly quantityMax: number
}

export type World = {
  readonly rules: ReadonlyMap<string, Rules>
  readonly now: ReadonlyMap<string, Now>
  readonly collaterals: readonly Collateral[]
}

/** Margin figures of an account in one market and mode; money in USDC. */
export type MarketFigures = {
  readonly symbol: string
  readonly position: Position
  readonly mode: Mode
  readonly leverage: number
  readonly mark: number
  readonly notional: number
  readonly notionalWithOrders: number
  readonly imr: number
  readonly mmr: number
  readonly imrWithOrders: number
  readonly mmrWithOrders: number
  readonly pendingLong: number
  readonly pendingShort: number
  readonly unsettled: number
  readonly frozen: number
  readonly liquidation: number
}

export type Figures = {
  /** By `keyOf`. */
  readonly markets: ReadonlyMap<string, MarketFigures>
  readonly collateral: number
  readonly free: number
  readonly initialWithOrders: number
  readonly maintenance: number
  readonly notional: number
  readonly notionalWithOrders: number
  readonly marginRatio: number
  readonly initialRatio: number
  readonly initialRatioWithOrders: number
  readonly maintenanceRatio: number
  readonly maintenanceRatioWithOrders: number
  readonly ratioWithOrders: number
  readonly accountValue: number
  readonly isolatedMargin: number
  readonly frozen: number
}

/** The documented ratio of an account without a position. */
const NO_POSITION_RATIO = 10

/** `max(1/lev, base_imr, f x N^(4/5))`. */
export function initialRate({ baseImr, factor }: Rules, leverage: number, notional: number) {
  return Math.max(1 / leverage, baseImr, factor * notional ** 0.8)
}

/** `max(base_mmr, (base_mmr/base_imr) x f x N^(4/5))`. */
function maintenanceRate({ baseImr, baseMmr, factor }: Rules, notional: number) {
  return Math.max(baseMmr, (baseMmr / baseImr) * factor * notional ** 0.8)
}

/** All margin figures of an account by the published formulas. */
export function figuresOf(account: Account, world: World): Figures {
  const used = new Map(
    [...account.positions.values(), ...account.orders].map(({ symbol, mode }) => [
      keyOf(symbol, mode),
      { symbol, mode },
    ]),
  )
  const parts = Array.from(used.values(), (of) => partOf(account, world, of))
  const cross = parts.filter(({ mode }) => mode === 'CROSS')
  const isolated = parts.filter(({ mode }) => mode === 'ISOLATED')
  const frozen = sum(isolated, (part) => part.frozen)
  const collateral =
    account.usdc - frozen + tokensValue(account, world) + sum(cross, (part) => part.unsettled)
  const notional = sum(cross, (part) => part.notional)
  const notionalWithOrders = sum(cross, (part) => part.notionalWithOrders)
  const initialWithOrders = sum(cross, (part) => part.notionalWithOrders * part.imrWithOrders)
  const maintenance = sum(cross, (part) => part.notional * part.mmr)
  const of = (part: number, whole: number, none: number) => (whole === 0 ? none : part / whole)
  const isolatedMargin = sum(isolated, ({ position }) => position.margin)
  return {
    markets: new Map(
      parts.map((part) => [
        keyOf(part.symbol, part.mode),
        { ...part, liquidation: liquidationOf(part, world, { collateral, maintenance }) },
      ]),
    ),
    collateral,
    free: Math.max(0, collateral - initialWithOrders),
    initialWithOrders,
    maintenance,
    notional,
    notionalWithOrders,
    marginRatio: of(collateral, notional, NO_POSITION_RATIO),
    initialRatio: of(
      sum(cross, (part) => part.notional * part.imr),
      notional,
      0,
    ),
    initialRatioWithOrders: of(initialWithOrders, notionalWithOrders, 0),
    maintenanceRatio: of(maintenance, notional, 0),
    maintenanceRatioWithOrders: of(
      sum(cross, (part) => part.notionalWithOrders * part.mmrWithOrders),
      notionalWithOrders,
      0,
    ),
    ratioWithOrders: of(collateral, notionalWithOrders, NO_POSITION_RATIO),
    accountValue:
      account.usdc +
      tokensAtIndex(account, world) +
      isolatedMargin +
      sum(parts, (p) => p.unsettled),
    isolatedMargin,
    frozen,
  }
}

type Part = Omit<MarketFigures, 'liquidation'>

function partOf(
  account: Account,
  world: World,
  { symbol, mode }: { readonly symbol: string; readonly mode: Mode },
): Part {
  const rules = found(world.rules, symbol)
  const { mark, sumUnitary } = found(world.now, symbol)
  const position = account.positions.get(keyOf(symbol, mode)) ?? flatPosition(symbol, mode)
  const leverage = leverageOf(account, symbol, mode)
  const { quantity, cost, lastSum } = position
  const orders = account.orders.filter((order) => order.symbol === symbol && order.mode === mode)
  const pendingLong = pending(orders, 'BUY')
  const pendingShort = pending(orders, 'SELL')
  const notional = Math.abs(quantity * mark)
  const withOrders = Math.max(Math.abs(quantity + pendingLong), Math.abs(quantity - pendingShort))
  const notionalWithOrders = withOrders * mark
  return {
    symbol,
    position,
    mode,
    leverage,
    mark,
    notional,
    notionalWithOrders,
    imr: initialRate(rules, leverage, notional),
    mmr: maintenanceRate(rules, notional),
    imrWithOrders: initialRate(rules, leverage, notionalWithOrders),
    mmrWithOrders: maintenanceRate(rules, notionalWithOrders),
    pendingLong,
    pendingShort,
    unsettled: quantity * mark - cost - quantity * (sumUnitary - lastSum),
    frozen: mode === 'ISOLATED' ? frozenOf(orders, quantity, leverage) : 0,
  }
}

/** Quantity of open orders of a side that may grow a position: reduce-only orders never do. */
function pending(orders: readonly OpenOrder[], side: 'BUY' | 'SELL'): number {
  return sum(
    orders.filter((order) => order.side === side && !order.reduceOnly),
    ({ left }) => left,
  )
}

/** Balance that isolated orders hold back: the larger side's value beyond what it closes. */
function frozenOf(orders: readonly OpenOrder[], held: number, leverage: number): number {
  const growth = (side: 'BUY' | 'SELL', closing: number) => {
    const own = orders.filter((order) => order.side === side && !order.reduceOnly)
    const quantity = sum(own, ({ left }) => left)
    const value = sum(own, ({ left, price }) => left * price)
    return quantity <= closing ? 0 : (value * (quantity - closing)) / quantity
  }
  const long = growth('BUY', Math.max(0, -held))
  const short = growth('SELL', Math.max(0, held))
  return Math.max(long, short) * isolatedShare(leverage)
}

function liquidationOf(
  part: Part,
  world: World,
  { collateral, maintenance }: { readonly collateral: number; readonly maintenance: number },
): number {
  const { position, mark, mmr, notional } = part
  const { quantity, cost, margin } = position
  if (quantity === 0) return 0
  if (part.mode === 'ISOLATED') {
    const funding = quantity * (found(world.now, part.symbol).sumUnitary - position.lastSum)
    return isolatedLiquidation({ quantity, cost: cost + funding, margin, mmr })
  }
  const others = maintenance - notional * mmr
  const rules = found(world.rules, part.symbol)
  return crossLiquidation({ rules, quantity, mark, collateral, others, mmr })
}

/** `sum(min(qty, cap) x weight x index)` of the tokens. */
export function tokensValue({ tokens }: Account, world: World): number {
  return sum(world.collaterals, ({ token, weight, discountFactor, quantityMax }) => {
    const held = tokens.get(token) ?? 0
    const value = held * indexOf(world, token)
    const discounted = 1.2 / (1 + discountFactor * Math.abs(value) ** 0.8)
    return Math.min(held, quantityMax) * Math.min(weight, discounted) * indexOf(world, token)
  })
}

function tokensAtIndex({ tokens }: Account, world: World): number {
  return sum([...tokens], ([token, held]) => held * indexOf(world, token))
}

function indexOf({ now }: World, token: string): number {
  return token === 'USDT' ? 1 : found(now, `PERP_${token}_USDC`).index
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function found<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key)
  if (value === undefined) throw new RangeError(key)
  return value
}
