import type { AdvanceUntil } from '../../contract/venue/advance.ts'
import type { StepEnd } from '../../core/advance.ts'
import { isObject } from '../../core/json.ts'
import { RATE_ONE } from '../base/units.ts'
import type { ReadUnserialised } from '../messages/row.ts'
import type { Match, Observer } from '../state/observer.ts'
import type { Account, EngineOrder } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'

/** Observes a world until a condition of a step is met. */
export type ConditionWatch = {
  /** The condition that was met; null until a condition is met. */
  readonly found: () => StepEnd | null
  readonly end: () => void
}

type WatchedWorld = {
  readonly world: EngineWorld
  readonly peek: ReadUnserialised
  /** The account whose events count; null if the events of every user count. */
  readonly accountId: string | null
}

/** Watches from now on for the conditions of a step. */
export function watchUntil(until: AdvanceUntil, parts: WatchedWorld): ConditionWatch {
  const { observers } = parts.world.exchange
  let found: StepEnd | null = isInState(until.order, parts) ? 'order' : null
  const observer = untilObserver(until, parts.accountId, (end) => {
    found ??= end
  })
  const hasPrice = priceTest(until.price, parts.world)
  observers.push(observer)
  return {
    found: () => {
      if (found === null && hasPrice()) found = 'price'
      return found
    },
    end: () => void observers.splice(observers.indexOf(observer), 1),
  }
}

/** An observer that reports the fills, orders and liquidations that match the step's conditions. */
function untilObserver(
  { fill, order, liquidation }: AdvanceUntil,
  accountId: string | null,
  happened: (end: StepEnd) => void,
): Observer {
  const isMeant = ({ kind, key }: Account) =>
    accountId === null ? kind === 'user' : key === accountId
  const isFill = (of: EngineOrder) => isMeant(of.marketAccount.account) && isNamed(fill, of)
  return {
    ...(fill && {
      matched: ({ taker, maker }: Match) => {
        if (isFill(taker) || isFill(maker)) happened('fill')
      },
    }),
    ...(order && {
      ordered: (of: EngineOrder) => {
        if (!isMeant(of.marketAccount.account) || !isNamed(order, of)) return
        if (isState(of.status, order.state)) happened('order')
      },
    }),
    ...(liquidation && {
      liquidated: ({ account }: { readonly account: Account }) => {
        if (isMeant(account)) happened('liquidation')
      },
    }),
  }
}

type Named = {
  readonly symbol?: string
  readonly orderId?: number
  readonly clientOrderId?: string
}

/** Whether an order has the given market, id and client id. An absent member matches every order. */
function isNamed(
  named: Named | undefined,
  { id, clientOrderId, marketAccount }: EngineOrder,
): boolean {
  const { symbol = marketAccount.market.spec.symbol, orderId = id } = named ?? {}
  return (
    symbol === marketAccount.market.spec.symbol &&
    orderId === id &&
    (named?.clientOrderId ?? clientOrderId) === clientOrderId
  )
}

function isState(status: unknown, wanted = 'COMPLETED'): boolean {
  if (wanted === 'COMPLETED') return status === 'FILLED' || status === 'CANCELLED'
  return status === wanted
}

/** Whether the named order of the account already is in the wanted state. */
function isInState(order: AdvanceUntil['order'], { peek, accountId }: WatchedWorld): boolean {
  const { orderId, clientOrderId, state } = order ?? {}
  if (accountId === null || (orderId === undefined && clientOrderId === undefined)) return false
  const path =
    orderId === undefined
      ? `/v1/client/order/${encodeURIComponent(clientOrderId ?? '')}`
      : `/v1/order/${orderId}`
  const row = peek(path, { accountId })
  return isObject(row) && isState(row['status'], state)
}

/** Tests whether a market's mark price has reached the condition's bound. */
function priceTest(price: AdvanceUntil['price'], { exchange }: EngineWorld): () => boolean {
  const market = price && exchange.bySymbol.get(price.symbol)
  if (!price || !market) return () => false
  const { above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY } = price
  return () => {
    const mark = (market.mark * market.spec.tick) / RATE_ONE
    return mark >= above || mark <= below
  }
}
