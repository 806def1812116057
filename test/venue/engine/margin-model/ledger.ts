/** The ledger of the venue's published rules in floating point: what an account owns after each event. */

export type Mode = 'CROSS' | 'ISOLATED'

/** The published rules of one market. */
export type Rules = {
  readonly symbol: string
  readonly baseImr: number
  readonly baseMmr: number
  /** The account's `imr_factor` in the market. */
  readonly factor: number
}

/** Prices of a market now, in USDC, and its funding so far. */
export type Now = { readonly mark: number; readonly index: number; readonly sumUnitary: number }

export type Position = {
  quantity: number
  cost: number
  lastSum: number
  averageOpen: number
  mode: Mode
  /** Margin set aside for an isolated position. */
  margin: number
  /** Funding charged since the position was opened. */
  funding: number
  fees: number
}

export type OpenOrder = {
  readonly id?: number
  readonly symbol: string
  readonly side: 'BUY' | 'SELL'
  readonly price: number
  readonly left: number
  readonly reduceOnly: boolean
  readonly mode: Mode
}

export type Account = {
  usdc: number
  readonly tokens: Map<string, number>
  readonly positions: Map<string, Position>
  /** By `symbol mode`. */
  readonly leverages: Map<string, number>
  readonly modes: Map<string, Mode>
  orders: readonly OpenOrder[]
}

export type Trade = {
  readonly symbol: string
  readonly side: 'BUY' | 'SELL'
  readonly price: number
  readonly quantity: number
  readonly fee: number
  readonly mode: Mode
}

/** The part of an isolated order's value that is set aside for the fee, over its initial margin. */
const ISOLATED_FEE = 0.0006
const INITIAL_LEVERAGE = 10
const MICRO = 1_000_000
const STEPS = 100_000_000

export function openAccount(): Account {
  return {
    usdc: 0,
    tokens: new Map(),
    positions: new Map(),
    leverages: new Map(),
    modes: new Map(),
    orders: [],
  }
}

export function positionOf({ positions, modes }: Account, symbol: string): Position {
  const known = positions.get(symbol)
  if (known) return known
  const mode = modes.get(symbol) ?? 'CROSS'
  const opened: Position = {
    ...{ quantity: 0, cost: 0, lastSum: 0, averageOpen: 0, mode },
    ...{ margin: 0, funding: 0, fees: 0 },
  }
  positions.set(symbol, opened)
  return opened
}

export function leverageOf({ leverages }: Account, symbol: string, mode: Mode): number {
  return leverages.get(`${symbol} ${mode}`) ?? INITIAL_LEVERAGE
}

/** The mode of a market's position or orders, or the one an order would get. */
export function modeOf(account: Account, symbol: string): Mode {
  const position = account.positions.get(symbol)
  if (position && position.quantity !== 0) return position.mode
  const order = account.orders.find((each) => each.symbol === symbol)
  return order?.mode ?? account.modes.get(symbol) ?? 'CROSS'
}

/** `cost_position += ceil(qty x (sumUnitary - last))`, rounded against the trader. */
export function chargeFunding(position: Position, sumUnitary: number): void {
  const { quantity, lastSum } = position
  const due = quantity * (sumUnitary - lastSum)
  const paid = Math.ceil(Math.round(due * MICRO * 1000) / 1000) / MICRO
  position.cost += paid
  position.funding += paid
  position.lastSum = sumUnitary
}

/** Books an execution: closes first, opens with what is left. Answers the realised PnL, fees apart. */
export function book(account: Account, trade: Trade, sumUnitary: number): number {
  const { symbol, price, mode } = trade
  const position = positionOf(account, symbol)
  chargeFunding(position, sumUnitary)
  const signed = trade.side === 'BUY' ? trade.quantity : -trade.quantity
  const closes = position.quantity * signed < 0
  const closing = closes ? Math.min(trade.quantity, Math.abs(position.quantity)) : 0
  const closingFee = (trade.fee * closing) / trade.quantity
  const realized = closing * (price - position.averageOpen) * Math.sign(position.quantity)
  if (closing > 0) close(account, position, Math.sign(signed) * closing, { price, fee: closingFee })
  position.fees += trade.fee
  const opening = trade.quantity - closing
  if (opening < 0.5 / STEPS) return realized
  position.mode = mode
  open(account, position, Math.sign(signed) * opening, {
    price,
    fee: trade.fee - closingFee,
    symbol,
  })
  return realized
}

/** Takes a part of a position over at a price; the fee is its owner's. */
export function liquidate(
  account: Account,
  position: Position,
  { quantity, price, fee }: Execution & { readonly quantity: number },
): void {
  if (quantity === 0) return
  close(account, position, -quantity, { price, fee })
  position.fees += fee
}

type Execution = { readonly price: number; readonly fee: number }

function close(account: Account, position: Position, signed: number, { price, fee }: Execution) {
  const share = Math.abs(signed / position.quantity)
  if (position.mode === 'CROSS') position.cost += signed * price + fee
  else {
    // The closed part of the result becomes balance with its part of the margin.
    account.usdc += share * position.margin - share * position.cost - signed * price - fee
    position.margin -= share * position.margin
    position.cost -= share * position.cost
    position.funding -= share * position.funding
  }
  position.quantity = steps(position.quantity + signed)
  if (position.quantity !== 0) return
  position.averageOpen = 0
  if (position.mode === 'ISOLATED') Object.assign(position, { cost: 0, margin: 0, funding: 0 })
}

function open(
  account: Account,
  position: Position,
  signed: number,
  { price, fee, symbol }: Execution & { readonly symbol: string },
) {
  const held = Math.abs(position.quantity)
  const added = Math.abs(signed)
  position.averageOpen = (held * position.averageOpen + added * price) / (held + added)
  position.quantity = steps(position.quantity + signed)
  position.cost += signed * price + fee
  if (position.mode === 'CROSS') return
  const margin = added * price * isolatedShare(leverageOf(account, symbol, 'ISOLATED'))
  position.margin += margin
  account.usdc -= margin
}

/** `1/lev + 0.0006`: the part of its value that an isolated order sets aside. */
export function isolatedShare(leverage: number): number {
  return 1 / leverage + ISOLATED_FEE
}

/** Quantities have eight decimals. */
export function steps(quantity: number): number {
  return Math.round(quantity * STEPS) / STEPS
}
