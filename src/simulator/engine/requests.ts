import { MINUTE_MS } from '../../contract/durations.ts'
import type { TapeFunding, TapeRecord } from '../../tapes/records.ts'
import { cancel, findOpen, openOrderList } from '../book/open-orders.ts'
import { advanceCoarsely } from '../flow/flow.ts'
import { fillPosition } from '../margin/positions.ts'
import { moveMargin, setLeverage, setMarginMode } from '../margin/settings.ts'
import { checkStatus } from '../orders/checks.ts'
import { type AlgoChange, editAlgo } from '../orders/conditional/edit.ts'
import { partsIn, placeAlgo } from '../orders/conditional/place.ts'
import { cancelAlgo, isAlive, setCancelAllTimer } from '../orders/conditional/tree.ts'
import { editOrder, type OrderChange } from '../orders/edit.ts'
import { placeOrder } from '../orders/place.ts'
import type { OrderRequest } from '../orders/request.ts'
import { requestMarkUpdate } from '../prices/mark.ts'
import { accountAt, BASE_FEES, openAccount, openMarketAccount } from '../state/accounts.ts'
import type { AlgoRequest } from '../state/algo-terms.ts'
import type { ExchangeState } from '../state/exchange.ts'
import type { MarketStatus } from '../state/market-spec.ts'
import { plan } from '../state/queue.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type {
  Account,
  AccountFeeRates,
  AlgoOrder,
  EngineMarket,
  EngineOrder,
  MarketAccount,
} from '../state/state.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { playRecords } from '../tape/play.ts'
import { forgetRecorded, recordedMove } from '../tape/recorded.ts'
import { askVault, type VaultInstruction } from '../vaults/requests.ts'
import { applyRecordedMoves, sceneAt } from './handlers.ts'
import { INBOX_REQUESTS, MONEY_REQUESTS } from './money-requests.ts'
import { type OfAccount, type OfMarket, OPERATOR_ACTS } from './operator-requests.ts'

type PlaceOrderRequest = OfAccount & OfMarket & Omit<OrderRequest, 'account' | 'market'>

/** The requests to a world from outside, each with its fields. */
export const REQUESTS = {
  /** Opens an account without a balance. */
  open: ({ exchange }: EngineWorld, { fees = BASE_FEES, ...opening }: Opening): Account =>
    openAccount(exchange, { ...opening, fees }),

  ...MONEY_REQUESTS,
  ...INBOX_REQUESTS,

  /** Lets the simulated order flow advance in steps of one minute until a time. */
  goCoarsely: ({ scenes }: EngineWorld, { untilMs }: { readonly untilMs: number }): null => {
    for (const scene of scenes) advanceCoarsely(scene, untilMs)
    return null
  },

  mirror: followMirror,

  place: (world: EngineWorld, placing: PlaceOrderRequest, atMs: number): EngineOrder | Rejection =>
    placeOrder(
      world.exchange,
      {
        ...placing,
        account: accountAt(world.exchange, placing.account),
        market: marketAt(world, placing.market),
      },
      atMs,
    ),

  edit: (world: EngineWorld, fields: OfOrder & OrderChange, atMs: number): Rejection | null => {
    const order = orderAt(world, fields)
    return order ? editOrder(world.exchange, order, fields, atMs) : REJECTIONS.notFound
  },

  cancel: (world: EngineWorld, fields: OfOrder, atMs: number): Rejection | null => {
    const order = orderAt(world, fields)
    if (!order) return REJECTIONS.notFound
    cancel(world.exchange, order, atMs)
    return null
  },

  algo: (world: EngineWorld, fields: PlacingAlgo, atMs: number): AlgoOrder | Rejection => {
    const { account, market, ...request } = fields
    const [owner, where] = [accountAt(world.exchange, account), marketAt(world, market)]
    return placeAlgo(world.exchange, owner, where, request, atMs)
  },

  /** Edits an algo order; only its root can be edited. */
  editAlgo: (world: EngineWorld, fields: EditingAlgo, atMs: number): Rejection | null => {
    const root = accountAt(world.exchange, fields.account).algos.get(fields.algo)
    return root ? editAlgo(world.exchange, root, fields.changes, atMs) : REJECTIONS.notFound
  },

  /** Cancels an algo order or one of its legs. */
  cancelAlgo: (world: EngineWorld, fields: OfAlgo, atMs: number): Rejection | null => {
    const part = partsIn(accountAt(world.exchange, fields.account)).find(
      ({ id }) => id === fields.algo,
    )
    if (!part || !isAlive(part)) return REJECTIONS.notFound
    cancelAlgo(world.exchange, part, atMs)
    return null
  },

  /** Sets when all open orders of an account are cancelled. Null disarms the timer. */
  cancelAllAt: (world: EngineWorld, fields: OfAccount & { readonly at: number | null }): null => {
    setCancelAllTimer(world, accountAt(world.exchange, fields.account), fields.at)
    return null
  },

  leverage: (world: EngineWorld, fields: Leverage): Rejection | null => {
    const { account, market, leverage, isolated = false } = fields
    const where = market === null ? null : marketAt(world, market)
    return setLeverage(world.exchange, accountAt(world.exchange, account), {
      ...{ leverage, isolated, market: where },
    })
  },

  marginMode: (world: EngineWorld, fields: OfAccount & OfMarket & { readonly isolated: boolean }) =>
    setMarginMode(
      accountAt(world.exchange, fields.account),
      marketAt(world, fields.market),
      fields.isolated,
    ),

  /** Moves balance into an isolated position. A negative amount moves it out. */
  margin: (world: EngineWorld, { account, market, amount }: MovedMargin) => {
    const owner = accountAt(world.exchange, account)
    return moveMargin(
      world.exchange,
      openMarketAccount(owner, marketAt(world, market), true),
      amount,
    )
  },

  /** Sets the fee rates of an account, optionally with other rates for markets outside of crypto. */
  fees: (world: EngineWorld, { account, fees, rwaFees = fees }: Fees): null => {
    accountAt(world.exchange, account).fees = fees
    accountAt(world.exchange, account).rwaFees = rwaFees
    return null
  },

  /** Requests a deposit to a vault or a withdrawal from it. It is executed when the vault's period ends. */
  askVault: (
    world: EngineWorld,
    { account, ...asked }: OfAccount & VaultInstruction,
    atMs: number,
  ) => askVault(world, accountAt(world.exchange, account), asked, atMs),

  status: (
    world: EngineWorld,
    { market, status }: OfMarket & { readonly status: MarketStatus },
    atMs: number,
  ): null => {
    setStatus(world.exchange, marketAt(world, market), status, atMs)
    return null
  },

  ...OPERATOR_ACTS,
} as const

export type RequestKind = keyof typeof REQUESTS

export type FieldsOf<Kind extends RequestKind> = Parameters<(typeof REQUESTS)[Kind]>[1]

export type OutcomeOf<Kind extends RequestKind> = ReturnType<(typeof REQUESTS)[Kind]>

type Opening = {
  readonly key: string
  readonly leverage: number
  readonly fees?: AccountFeeRates
  readonly rwaFees?: AccountFeeRates
}
type Fees = OfAccount & { readonly fees: AccountFeeRates; readonly rwaFees?: AccountFeeRates }
type PlacingAlgo = OfAccount & OfMarket & AlgoRequest
type OfAlgo = OfAccount & { readonly algo: number }
type EditingAlgo = OfAlgo & { readonly changes: readonly AlgoChange[] }
type OfOrder = OfAccount & { readonly order: number }
type MovedMargin = OfAccount & OfMarket & { readonly amount: number }
type Leverage = OfAccount & {
  readonly market: number | null
  readonly leverage: number
  readonly isolated?: boolean
}

function marketAt(world: EngineWorld, number: number): EngineMarket {
  return sceneAt(world, number).market
}

function orderAt(world: EngineWorld, { account, order }: OfOrder): EngineOrder | undefined {
  return findOpen(accountAt(world.exchange, account), order)
}

/**
 * Sets which orders a market accepts. Cancels the orders that the new status excludes, except for a halt, which keeps
 * all orders. In a delisted market, positions are closed against each other at the mark price without fees.
 */
function setStatus(
  exchange: ExchangeState,
  market: EngineMarket,
  status: MarketStatus,
  atMs: number,
): void {
  market.status = status
  if (status === 'PENDING') return
  for (const account of exchange.accounts) {
    cancelDisallowedOrders(exchange, account, market, atMs)
    if (isEnding(status)) cancelWaiting(exchange, account, market, atMs)
  }
  if (status === 'DELISTED')
    for (const marketAccount of [...market.holders]) closeAtMark(exchange, marketAccount, atMs)
}

function isEnding(status: MarketStatus): boolean {
  return status === 'DELISTING' || status === 'DELISTED'
}

function cancelWaiting(
  exchange: ExchangeState,
  { algos }: Account,
  market: EngineMarket,
  atMs: number,
): void {
  for (const algo of [...algos.values()])
    if (algo.marketAccount.market === market) cancelAlgo(exchange, algo, atMs)
}

function cancelDisallowedOrders(
  exchange: ExchangeState,
  account: Account,
  market: EngineMarket,
  atMs: number,
) {
  for (const order of openOrderList(account)) {
    const { marketAccount, type, reduceOnly } = order
    if (marketAccount.market === market && checkStatus({ market, type, reduceOnly }))
      cancel(exchange, order, atMs)
  }
}

function closeAtMark(exchange: ExchangeState, marketAccount: MarketAccount, atMs: number): void {
  const { quantity, market } = marketAccount
  fillPosition(exchange, marketAccount, { quantity: -quantity, price: market.mark, fee: 0, atMs })
}

/** Records of the live markets in order of arrival. Null if the feed starts again, which makes all books unknown. */
type Mirrored = { readonly records: readonly TapeRecord[] | null }

/** A funding period that ends within this time is settled before the live market's next period is followed. */
const SETTLES_WITHIN_MS = MINUTE_MS

/** Applies records of the live markets to a world that mirrors them. */
function followMirror(world: EngineWorld, { records }: Mirrored, atMs: number): null {
  const { exchange, tape, counts, scenes } = world
  if (!tape?.isMirror) throw new RangeError('this world mirrors no live market')
  if (records === null) {
    forgetRecorded(tape)
    for (const { market } of scenes) market.isAway = true
    return null
  }
  counts.events += records.length
  const played = records.filter(({ kind }) => kind !== 'funding')
  applyRecordedMoves(world, playRecords(exchange, tape, { records: played, atMs }), atMs)
  for (const record of records) {
    const market = tape.markets.get(record.market)?.market
    const scene = market && scenes[market.number]
    if (!scene) continue
    // A mark price that arrived while the book was unknown takes effect once the book is known.
    requestMarkUpdate(world, scene)
    if (record.kind === 'funding') followFunding(world, scene, record, atMs)
  }
  return null
}

/**
 * Applies the rate of the current funding period. The period's end moves if the live market's period ends at a
 * different time.
 */
function followFunding(world: EngineWorld, scene: Scene, record: TapeFunding, atMs: number): void {
  const { mirrored, nextFundingAtMs, market } = scene
  const { rate = 0 } = recordedMove(record, market.spec)
  const nextMs = Math.floor(record.nextUs / 1000)
  if (!mirrored || nextMs <= atMs) return
  if (nextMs > nextFundingAtMs && nextFundingAtMs - atMs <= SETTLES_WITHIN_MS) {
    mirrored.later = { rate, nextMs }
    return
  }
  scene.recordedRate = rate
  if (nextMs === nextFundingAtMs) return
  scene.nextFundingAtMs = nextMs
  plan(world.queue, nextMs, 'funding', market.number)
}
