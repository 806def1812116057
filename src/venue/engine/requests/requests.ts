import { BASE_FEES, deposit, exposureOf, openAccount } from '../accounts.ts'
import { reprice, valueTokens } from '../events/handlers.ts'
import { moveMargin, setLeverage, setMarginMode } from '../margin/settings.ts'
import { watch } from '../margin/solvency.ts'
import { type Change, editOrder } from '../orders/edit.ts'
import { cancel } from '../orders/open.ts'
import { placeOrder } from '../orders/place.ts'
import type { OrderRequest } from '../orders/request.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import type { Account, Exposure, FeeRates, Market, MarketStatus, Order } from '../state.ts'
import type { World } from '../world.ts'
import { ACTS } from './acts.ts'
import { accountAt, type OfAccount, type OfMarket, sceneAt } from './subjects.ts'

type Placing = OfAccount & OfMarket & Omit<OrderRequest, 'account' | 'market'>

/** What can be asked of a world from outside, and with which fields. */
export const REQUESTS = {
  /** A new account without a balance. */
  open: ({ exchange }: World, { key, leverage, fees = BASE_FEES }: Opening): Account =>
    openAccount(exchange, { key, leverage, fees }),

  /** Micro-USDC from outside; below zero, to outside. Whoever asks has checked that the account may. */
  deposit: (world: World, { account, amount }: OfAccount & { readonly amount: number }): null => {
    deposit(world.exchange, accountAt(world, account), amount)
    watch(world.exchange, accountAt(world, account))
    return null
  },

  /** Tokens that count as collateral, from outside or to it; eight decimals. */
  tokens: (world: World, { account, token, amount }: Tokens): null => {
    const owner = accountAt(world, account)
    owner.tokens.set(token, (owner.tokens.get(token) ?? 0) + amount)
    world.tokenHolders.add(owner)
    valueTokens(world, owner)
    return null
  },

  place: (world: World, placing: Placing, atMs: number): Order | Rejection =>
    placeOrder(
      world.exchange,
      {
        ...placing,
        account: accountAt(world, placing.account),
        market: marketAt(world, placing.market),
      },
      atMs,
    ),

  edit: (world: World, fields: OfOrder & Change, atMs: number): Rejection | null => {
    const order = orderAt(world, fields)
    return order ? editOrder(world.exchange, order, fields, atMs) : REJECTIONS.notFound
  },

  cancel: (world: World, fields: OfOrder, atMs: number): Rejection | null => {
    const order = orderAt(world, fields)
    if (!order) return REJECTIONS.notFound
    cancel(world.exchange, order, atMs)
    return null
  },

  leverage: (world: World, { account, market, leverage }: Leverage): Rejection | null =>
    setLeverage(
      world.exchange,
      accountAt(world, account),
      leverage,
      market === null ? null : marketAt(world, market),
    ),

  marginMode: (world: World, fields: OfAccount & OfMarket & { readonly isolated: boolean }) =>
    setMarginMode(exposureAt(world, fields), fields.isolated),

  margin: (world: World, fields: OfAccount & OfMarket & { readonly amount: number }) =>
    moveMargin(world.exchange, exposureAt(world, fields), fields.amount),

  fees: (world: World, { account, fees }: OfAccount & { readonly fees: FeeRates }): null => {
    accountAt(world, account).fees = fees
    return null
  },

  /** What orders a market takes. Those that rest stay. */
  status: (
    world: World,
    { market, status }: OfMarket & { readonly status: MarketStatus },
  ): null => {
    marketAt(world, market).status = status
    return null
  },

  /** Moves a market's index by a share of itself at once. */
  shock: (world: World, { market, share }: Shock, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.index *= 1 + share
    scene.overrides.scale *= 1 + share
    reprice(world, scene, atMs)
    return null
  },

  ...ACTS,
} as const

export type RequestKind = keyof typeof REQUESTS

export type FieldsOf<Kind extends RequestKind> = Parameters<(typeof REQUESTS)[Kind]>[1]

export type OutcomeOf<Kind extends RequestKind> = ReturnType<(typeof REQUESTS)[Kind]>

type Opening = { readonly key: string; readonly leverage: number; readonly fees?: FeeRates }
type Tokens = OfAccount & {
  readonly token: string
  readonly amount: number
}
type Shock = OfMarket & { readonly share: number }
type OfOrder = OfAccount & { readonly order: number }
type Leverage = OfAccount & { readonly market: number | null; readonly leverage: number }

function marketAt(world: World, number: number): Market {
  return sceneAt(world, number).market
}

function exposureAt(world: World, { account, market }: OfAccount & OfMarket): Exposure {
  return exposureOf(accountAt(world, account), marketAt(world, market))
}

function orderAt(world: World, { account, order }: OfOrder): Order | undefined {
  return accountAt(world, account).open.get(order)
}
