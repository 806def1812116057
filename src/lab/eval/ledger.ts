import { HOUR_MS } from '../../contract/durations.ts'
import { isObject, type Row, rowsAt, toFloat } from '../../core/json.ts'
import type { EvaluationWorld } from './world.ts'

/** The account at one venue time, in micro-USDC. */
export type AccountSample = {
  readonly atMs: number
  readonly value: number
  /** Value of all positions. */
  readonly gross: number
  /** Value of long positions minus value of short positions. */
  readonly net: number
}

/** Totals of a run's fills, orders and funding, in micro-USDC. */
type Totals = {
  fees: number
  funding: number
  traded: number
  impact: number
  /** Value of the fills with a known impact. */
  taken: number
  asked: number
  executed: number
  orders: number
  fills: number
  liquidations: number
  /** Profit before fees, by the id of the order that closed a position or part of it. */
  readonly closed: Map<number, number>
  /** False if the venue may have dropped rows of its lists before they were read. */
  isWhole: boolean
}

export type RunLedger = {
  readonly samples: readonly AccountSample[]
  readonly totals: Totals
  /** Adds the current account. `positions` is a fresh answer of `POSITIONS_READ`, if already read. */
  readonly measure: (positions?: unknown) => Promise<void>
  /** Adds the orders, fills, funding and liquidations since the last call. */
  readonly gather: () => Promise<void>
  /** Makes a call that places or changes an order. Records the mid price before the call, to compute the impact of its fills. */
  readonly ordered: <Answer>(symbol: string, order: () => Promise<Answer>) => Promise<Answer>
}

/** The read that shows the account. */
export const POSITIONS_READ = '/v1/positions'

const MICROS = 1_000_000
const PAGE_ROWS = 500
/** The number of pages that hold all rows which the venue keeps of a list. */
const PAGES_MAX = 2
/** Interval between reads of the lists. An agent is expected to create fewer rows in this time than a read returns. */
const GATHER_MS = HOUR_MS / 4

type State = {
  readonly world: EvaluationWorld
  readonly totals: Totals
  /** The market's mid price before the call that caused a fill, by fill id. */
  readonly middles: Map<number, number>
  /** The rows at the time of the last read. The next read returns these rows again. */
  seen: ReadonlySet<string>
  /** The price of each order, or of its fills, in USDC. */
  readonly priceOf: Map<number, number>
  sinceMs: number
}

/** Opens the ledger of a run. */
export function openLedger(world: EvaluationWorld): RunLedger {
  const samples: AccountSample[] = []
  const totals: Totals = {
    ...{ fees: 0, funding: 0, traded: 0, impact: 0, taken: 0, asked: 0, executed: 0 },
    ...{ orders: 0, fills: 0, liquidations: 0, closed: new Map(), isWhole: true },
  }
  const state: State = {
    ...{ world, totals, middles: new Map(), seen: new Set(), priceOf: new Map() },
    sinceMs: world.nowMs(),
  }
  return {
    samples,
    totals,
    measure: async (positions) => {
      samples.push(toAccountSample(world, positions ?? (await world.read(POSITIONS_READ))[0]))
      if (world.nowMs() - state.sinceMs >= GATHER_MS) await gatherRows(state)
    },
    gather: () => gatherRows(state),
    ordered: async (symbol, order) => {
      const fromMs = world.nowMs()
      const middle = await readMidPrice(world, symbol)
      const answer = await order()
      if (middle !== null) await recordMidPrice(state, { symbol, fromMs, middle })
      return answer
    },
  }
}

type OrderCall = { readonly symbol: string; readonly fromMs: number; readonly middle: number }

/** Records the mid price for the new fills since a call. Fills of an earlier call at the same time keep their price. */
async function recordMidPrice({ world, middles }: State, { symbol, fromMs, middle }: OrderCall) {
  const query = `symbol=${encodeURIComponent(symbol)}&start_t=${fromMs}&size=${PAGE_ROWS}`
  const [answer] = await world.read(`${FILLS.path}?${query}`)
  for (const row of rowsAt(answer, 'rows')) {
    const id = numberAt(row, FILLS.id)
    if (!middles.has(id)) middles.set(id, middle)
  }
}

function toAccountSample(world: EvaluationWorld, answer: unknown): AccountSample {
  const value = isObject(answer) ? toFloat(answer['account_value']) : undefined
  if (value === undefined) throw new Error('the venue does not answer the value of the account')
  let [gross, net] = [0, 0]
  for (const row of rowsAt(answer, 'rows')) {
    const notional = numberAt(row, 'position_qty') * numberAt(row, 'mark_price')
    gross += Math.abs(notional)
    net += notional
  }
  return { atMs: world.nowMs(), value: micros(value), gross: micros(gross), net: micros(net) }
}

async function readMidPrice({ read }: EvaluationWorld, symbol: string): Promise<number | null> {
  const [book] = await read(`/v1/orderbook/${encodeURIComponent(symbol)}?max_level=1`)
  const [bid, ask] = [bestPrice(book, 'bids'), bestPrice(book, 'asks')]
  return bid === null || ask === null ? null : (bid + ask) / 2
}

function bestPrice(book: unknown, side: 'bids' | 'asks'): number | null {
  const [best] = isObject(book) && Array.isArray(book[side]) ? book[side] : []
  return isObject(best) ? numberAt(best, 'price') : null
}

async function gatherRows(state: State): Promise<void> {
  const { world, totals } = state
  const now = new Set<string>()
  for (const row of await newRows(state, ORDERS, now)) addOrder(state, row)
  for (const row of await newRows(state, FILLS, now)) addFill(state, row)
  for (const row of await newRows(state, FUNDING, now)) {
    const paid = micros(Math.abs(numberAt(row, 'funding_fee')))
    totals.funding += row['payment_type'] === 'Pay' ? -paid : paid
  }
  totals.liquidations += (await newRows(state, LIQUIDATIONS, now)).length
  state.seen = now
  state.sinceMs = world.nowMs()
  state.middles.clear()
}

type List = { readonly path: string; readonly time: string; readonly id: string }

const ORDERS: List = { path: '/v1/orders', time: 'created_time', id: 'order_id' }
const FILLS: List = { path: '/v1/trades', time: 'executed_timestamp', id: 'id' }
const FUNDING: List = { path: '/v1/funding_fee/history', time: 'created_time', id: 'symbol' }
const LIQUIDATIONS: List = { path: '/v1/liquidations', time: 'timestamp', id: 'liquidation_id' }

/** The new rows of a list, oldest first. Rows with the current time are also added to `now`. */
async function newRows(
  { world, totals, seen, sinceMs }: State,
  { path, time, id }: List,
  now: Set<string>,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = `start_t=${sinceMs}&page=${page}&size=${PAGE_ROWS}`
    const [answer] = await world.read(`${path}?${query}`)
    const rows = rowsAt(answer, 'rows')
    found.push(...rows)
    if (rows.length < PAGE_ROWS) break
    totals.isWhole &&= page < PAGES_MAX
  }
  const nowMs = world.nowMs()
  return found.reverse().filter((row) => {
    const key = `${path} ${row[id]} ${row[time]}`
    if (numberAt(row, time) >= nowMs) now.add(key)
    return !seen.has(key)
  })
}

function addOrder({ totals, priceOf }: State, row: Row): void {
  const price = numberAt(row, 'price') || numberAt(row, 'average_executed_price')
  totals.orders += 1
  totals.asked += micros(numberAt(row, 'quantity') * price)
  priceOf.set(numberAt(row, 'order_id'), price)
}

function addFill({ totals, middles, priceOf }: State, row: Row): void {
  const [price, quantity] = [numberAt(row, 'executed_price'), numberAt(row, 'executed_quantity')]
  totals.fills += 1
  totals.traded += micros(price * quantity)
  totals.fees -= micros(numberAt(row, 'fee'))
  const order = numberAt(row, 'order_id')
  totals.executed += micros((priceOf.get(order) ?? price) * quantity)
  const profit = micros(numberAt(row, 'realized_pnl'))
  if (profit !== 0) totals.closed.set(order, (totals.closed.get(order) ?? 0) + profit)
  const middle = middles.get(numberAt(row, FILLS.id))
  if (middle === undefined || numberAt(row, 'is_maker') === 1) return
  const side = row['side'] === 'SELL' ? 1 : -1
  totals.impact += micros(side * (price - middle) * quantity)
  totals.taken += micros(price * quantity)
}

export function numberAt(row: Row, name: string): number {
  return toFloat(row[name]) ?? Number(row[name] ?? 0)
}

function micros(usdc: number): number {
  return Math.round(usdc * MICROS)
}
