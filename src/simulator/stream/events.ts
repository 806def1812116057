import type { Row } from '../../core/json.ts'
import type { Simulation } from '../exchange/simulation.ts'
import {
  type OrderRow,
  storedOrderRow,
  storedTradeRow,
  type TradeRow,
} from '../history/account-rows.ts'
import { sideOf, wirePrice, wireQuantity } from '../messages/values.ts'
import type { Match, Observer } from '../state/observer.ts'
import type { Account, EngineOrder } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'

/** A change of an order, with the execution that caused it, if any. */
export type OrderEvent = { readonly order: OrderRow; readonly trade: TradeRow | null }

/** The events of a subscription since its last read, oldest first. */
export type Subscription<Event> = {
  readonly take: () => readonly Event[]
  readonly end: () => void
}

/** Buffers the world's events for subscribers, so that no event between two reads is lost. */
export type EventBuffers = {
  /** Subscribes to the trades of a market. */
  readonly trades: (symbol: string) => Subscription<Row>
  /** Subscribes to the orders and executions of an account. */
  readonly orders: (accountId: string) => Subscription<OrderEvent>
  /** Runs work whose order events are not published. */
  readonly silently: (work: () => void) => void
  /** Marks an account as changed. */
  readonly mark: (accountId: string) => void
  /** The subscribed accounts that have been marked since the last call. */
  readonly takeMarked: () => ReadonlySet<string>
}

/** Maximum number of buffered events. After a jump of days, only the latest are kept. */
const EVENTS_MAX = 10_000

export function createEventBuffers(simulation: () => Simulation): EventBuffers {
  const markets = new Map<string, Set<Row[]>>()
  const accounts = new Map<string, Set<OrderEvent[]>>()
  let observed: EngineWorld | null = null
  let marked = new Set<string>()
  let isSilent = false

  function mark(accountId: string): void {
    if (accounts.has(accountId)) marked.add(accountId)
  }

  function note(order: EngineOrder, trade: () => TradeRow | null): void {
    if (isSilent) return
    mark(order.marketAccount.account.key)
    const buffers = accounts.get(order.marketAccount.account.key)
    if (buffers) add(buffers, { order: storedOrderRow(order), trade: trade() })
  }

  const observer: Observer = {
    ...accountObserver(mark, () => observed),
    ordered: (order) => {
      // The execution's own event already reports a fill.
      if (order.status !== 'FILLED') note(order, () => null)
    },
    matched: (match) => {
      const buffers = markets.get(match.market.spec.symbol)
      if (buffers) add(buffers, tradeMessage(match))
      note(match.maker, () => storedTradeRow(match, false))
      note(match.taker, () => storedTradeRow(match, true))
    },
  }

  /** Observes the current world, which may have replaced an earlier world. */
  function observe(): void {
    const { world } = simulation().engine
    if (world === observed) return
    observed = world
    world.exchange.observers.push(observer)
  }

  return {
    trades: (symbol) => subscribe(markets, symbol, observe),
    orders: (accountId) => subscribe(accounts, accountId, observe),
    silently: (work) => {
      isSilent = true
      work()
      isSilent = false
    },
    mark,
    takeMarked: () => {
      observe()
      const taken = marked
      marked = new Set()
      return taken
    },
  }
}

/** Buffers the events of a key until the subscription ends. */
function subscribe<Event>(
  all: Map<string, Set<Event[]>>,
  key: string,
  observe: () => void,
): Subscription<Event> {
  observe()
  const buffer: Event[] = []
  const buffers = all.get(key) ?? new Set()
  all.set(key, buffers.add(buffer))
  return {
    take: () => {
      observe()
      return buffer.splice(0)
    },
    end: () => {
      buffers.delete(buffer)
      if (buffers.size === 0 && all.get(key) === buffers) all.delete(key)
    },
  }
}

function add<Event>(buffers: Iterable<Event[]>, event: Event): void {
  for (const buffer of buffers) {
    buffer.push(event)
    if (buffer.length > 2 * EVENTS_MAX) buffer.splice(0, EVENTS_MAX)
  }
}

function tradeMessage({ market: { spec }, price, quantity, taker, atMs }: Match): Row {
  return {
    symbol: spec.symbol,
    price: wirePrice(spec, price),
    size: wireQuantity(spec, quantity),
    side: sideOf(taker.side),
    ts: atMs,
  }
}

/** An observer that marks the accounts of all events except orders and executions. */
function accountObserver(
  mark: (accountId: string) => void,
  world: () => EngineWorld | null,
): Observer {
  const markAll = (accounts: readonly (Account | undefined)[]) => {
    for (const account of accounts) if (account) mark(account.key)
  }
  return {
    algo: ({ marketAccount }) => mark(marketAccount.account.key),
    liquidated: ({ account, takeovers }) => markAll([account, ...takeovers.map(({ to }) => to)]),
    funded: ({ charges }) => markAll(charges.map(({ marketAccount }) => marketAccount.account)),
    deposited: ({ account }) => mark(account.key),
    moved: (move) => {
      const known = world()?.exchange.accounts ?? []
      markAll([known[move.account], move.kind === 'transfer' ? known[move.to] : undefined])
    },
    settled: ({ account }) => mark(account.key),
  }
}
