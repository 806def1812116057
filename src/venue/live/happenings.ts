import type { Match, Observer } from '../engine/observer.ts'
import { type OrderRow, orderRow, type TradeRow, tradeRow } from '../engine/records/records.ts'
import type { Order } from '../engine/state.ts'
import type { World } from '../engine/world.ts'
import type { Floor } from '../exchange/floor.ts'
import { sideOf } from '../orders/outcomes.ts'
import { priceOf, quantityOf } from '../rows/figures.ts'
import type { Row } from './rows.ts'
import { stirring } from './stirring.ts'

/** An order as it then stood, and the execution that it is about, if it is about one. */
export type OrderMoment = { readonly order: OrderRow; readonly trade: TradeRow | null }

/** What has happened since it was last taken, oldest first. */
export type Heard<What> = { readonly take: () => readonly What[]; readonly end: () => void }

/** What happens in the world while somebody listens: nothing between two looks is missed. */
export type Happenings = {
  /** The trades of a market. */
  readonly trades: (symbol: string) => Heard<Row>
  /** The orders and executions of an account. */
  readonly orders: (accountId: string) => Heard<OrderMoment>
  /** Notes that something may have happened in an account. */
  readonly stir: (accountId: string) => void
  /** The accounts listened to in which something has happened since this was last asked. */
  readonly stirred: () => ReadonlySet<string>
}

/** A world that leaps for days has more of them than anybody reads: the latest are told. */
const WAITING_MAX = 10_000

export function createHappenings(floor: () => Floor): Happenings {
  const markets = new Map<string, Set<Row[]>>()
  const accounts = new Map<string, Set<OrderMoment[]>>()
  let heard: World | null = null
  let stirred = new Set<string>()

  function stir(accountId: string): void {
    if (accounts.has(accountId)) stirred.add(accountId)
  }

  function note(order: Order, trade: () => TradeRow | null): void {
    stir(order.exposure.account.key)
    const lists = accounts.get(order.exposure.account.key)
    if (lists) add(lists, { order: orderRow(order), trade: trade() })
  }

  const observer: Observer = {
    ...stirring(stir, () => heard),
    ordered: (order) => {
      // The execution that fills it says so.
      if (order.status !== 'FILLED') note(order, () => null)
    },
    matched: (match) => {
      const lists = markets.get(match.market.spec.symbol)
      if (lists) add(lists, tradeOf(match))
      note(match.maker, () => tradeRow(match, false))
      note(match.taker, () => tradeRow(match, true))
    },
  }

  /** A world that has taken the place of another is listened to as well. */
  function listen(): void {
    const { world } = floor().engine
    if (world === heard) return
    heard = world
    world.exchange.observers.push(observer)
  }

  return {
    trades: (symbol) => join(markets, symbol, listen),
    orders: (accountId) => join(accounts, accountId, listen),
    stir,
    stirred: () => {
      listen()
      const those = stirred
      stirred = new Set()
      return those
    },
  }
}

/** A list of what happens under a key from now on, until it is ended. */
function join<What>(all: Map<string, Set<What[]>>, key: string, listen: () => void): Heard<What> {
  listen()
  const waiting: What[] = []
  const lists = all.get(key) ?? new Set()
  all.set(key, lists.add(waiting))
  return {
    take: () => {
      listen()
      return waiting.splice(0)
    },
    end: () => {
      lists.delete(waiting)
      if (lists.size === 0 && all.get(key) === lists) all.delete(key)
    },
  }
}

function add<What>(lists: Iterable<What[]>, what: What): void {
  for (const waiting of lists) {
    waiting.push(what)
    if (waiting.length > 2 * WAITING_MAX) waiting.splice(0, WAITING_MAX)
  }
}

function tradeOf({ market: { spec }, price, quantity, taker, atMs }: Match): Row {
  return {
    symbol: spec.symbol,
    price: priceOf(spec, price),
    size: quantityOf(spec, quantity),
    side: sideOf(taker.side),
    ts: atMs,
  }
}
