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
  readonly symbol: string
  readonly mode: Mode
  quantity: number
  cost: number
  lastSum: number
  averageOpen: number
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
  /** By `keyOf`, as the leverages: a market may have a position of each mode. */
  readonly positions: Map<string, Position>
  readonly leverages: Map<string, number>
  /** The default modes that the account has set. */
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

export function keyOf(symbol: string, mode: Mode): string {
  return `${symbol} ${mode}`
}

export function positionOf({ positions }: Account, symbol: string, mode: Mode): Position {
  const known = positions.get(keyOf(symbol, mode))
  if (known) return known
  const opened = flatPosition(symbol, mode)
  positions.set(keyOf(symbol, mode), opened)
  return opened
}

export function flatPosition(symbol: string, mode: Mode): Position {
  return {
    ...{ symbol, mode, quantity: 0, cost: 0, lastSum: 0, averageOpen: 0 },
    ...{ margin: 0, funding: 0, fees: 0 },
  }
}

/** Whether there is a position or an open order of a mode in a market. */
export function isInUse({ positions, orders }: Account, symbol: string, mode: Mode): boolean {
  return (
    (positions.get(keyOf(symbol, mode))?.quantity ?? 0) !== 0 ||
    orders.some((order) => order.symbol === symbol && order.mode === mode)
  )
}

export function leverageOf({ leverages }: Account, symbol: string, mode: Mode): number {
  return leverages.get(keyOf(symbol, mode)) ?? INITIAL_LEVERAGE
}

/** The mode of an order that names none. */
export function modeOf({ modes }: Account, symbol: string): Mode {
  return modes.get(symbol) ?? 'CROSS'
}

/** `cost_position += ceil(qty x (sumUnitary - last))`, rounded against the trader. */
function chargeFunding(position: Position, sumUnitary: number): void {
  const { quantity, lastSum } = position
  const due = quantity * (sumUnitary - lastSum)
  const paid = Math.ceil(Math.round(due * MICRO * 1000) / 1000) / MICRO
  position.cost += paid
  position.funding += paid
  position.lastSum = sumUnitary
}

/** Charges every position of an account. */
export function chargeAll({ positions }: Account, now: ReadonlyMap<string, Now>): void {
  for (const position of positions.values())
    chargeFunding(position, now.get(position.symbol)?.sumUnitary ?? 0)
}

/** Books an execution: closes first, opens with what is left. Answers the realised PnL, fees apart. */
export function book(account: Account, trade: Trade, sumUnitary: number): number {
  const { symbol, price, mode } = trade
  const position = positionOf(account, symbol, mode)
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
  open(account, position, Math.sign(signed) * opening, { price, fee: trade.fee - closingFee })
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

function open(account: Account, position: Position, signed: number, { price, fee }: Execution) {
  const held = Math.abs(position.quantity)
  const added = Math.abs(signed)
  position.averageOpen = (held * position.averageOpen + added * price) / (held + added)
  position.quantity = steps(position.quantity + signed)
  position.cost += signed * price + fee
  if (position.mode === 'CROSS') return
  const margin = added * price * isolatedShare(leverageOf(account, position.symbol, 'ISOLATED'))
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
