import { accountAt, BASE_FEES, exposureOf, openAccount } from '../accounts.ts'
import { reprice } from '../events/handlers.ts'
import { moveMargin, setLeverage, setMarginMode } from '../margin/settings.ts'
import { type Change, editOrder } from '../orders/edit.ts'
import { cancel } from '../orders/open.ts'
import { placeOrder } from '../orders/place.ts'
import type { OrderRequest } from '../orders/request.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import type { Account, Exposure, FeeRates, Market, MarketStatus, Order } from '../state.ts'
import { askVault } from '../vaults/ask.ts'
import type { Wish } from '../vaults/ledger.ts'
import { vaultAt } from '../vaults/vault.ts'
import type { Scene, World } from '../world.ts'
import { INBOX_REQUESTS } from './inbox.ts'
import { MONEY_REQUESTS } from './money.ts'

/** Accounts go by their number and markets by theirs: a request is plain data, and its log can be run again. */
type OfAccount = { readonly account: number }
type OfMarket = { readonly market: number }

type Placing = OfAccount & OfMarket & Omit<OrderRequest, 'account' | 'market'>

/** What can be asked of a world from outside, and with which fields. */
export const REQUESTS = {
  /** A new account without a balance. */
  open: ({ exchange }: World, { key, leverage, fees = BASE_FEES }: Opening): Account =>
    openAccount(exchange, { key, leverage, fees }),

  ...MONEY_REQUESTS,
  ...INBOX_REQUESTS,

  place: (world: World, placing: Placing, atMs: number): Order | Rejection =>
    placeOrder(
      world.exchange,
      {
        ...placing,
        account: accountAt(world.exchange, placing.account),
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
      accountAt(world.exchange, account),
      leverage,
      market === null ? null : marketAt(world, market),
    ),

  marginMode: (world: World, fields: OfAccount & OfMarket & { readonly isolated: boolean }) =>
    setMarginMode(exposureAt(world, fields), fields.isolated),

  margin: (world: World, fields: OfAccount & OfMarket & { readonly amount: number }) =>
    moveMargin(world.exchange, exposureAt(world, fields), fields.amount),

  fees: (world: World, { account, fees }: OfAccount & { readonly fees: FeeRates }): null => {
    accountAt(world.exchange, account).fees = fees
    return null
  },

  /** A deposit to a vault from an account, or a withdrawal to it: done when a period ends. */
  askVault: (world: World, { account, vault, ...wish }: VaultAsking, atMs: number) =>
    askVault(world, vaultAt(world, vault), accountAt(world.exchange, account), wish, atMs),

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
    reprice(world, scene, atMs)
    return null
  },
} as const

export type RequestKind = keyof typeof REQUESTS

export type FieldsOf<Kind extends RequestKind> = Parameters<(typeof REQUESTS)[Kind]>[1]

export type OutcomeOf<Kind extends RequestKind> = ReturnType<(typeof REQUESTS)[Kind]>

type Opening = { readonly key: string; readonly leverage: number; readonly fees?: FeeRates }
type Shock = OfMarket & { readonly share: number }
type VaultAsking = OfAccount & { readonly vault: number } & Omit<Wish, 'account' | 'role'>
type OfOrder = OfAccount & { readonly order: number }
type Leverage = OfAccount & { readonly market: number | null; readonly leverage: number }

function sceneAt({ scenes }: World, number: number): Scene {
  const scene = scenes[number]
  if (!scene) throw new RangeError('no such market')
  return scene
}

function marketAt(world: World, number: number): Market {
  return sceneAt(world, number).market
}

function exposureAt(world: World, { account, market }: OfAccount & OfMarket): Exposure {
  return exposureOf(accountAt(world.exchange, account), marketAt(world, market))
}

function orderAt(world: World, { account, order }: OfOrder): Order | undefined {
  return accountAt(world.exchange, account).open.get(order)
}
