import type { ClaimedUse } from '../../core/claim.ts'
import { usdcNumber } from '../../core/decimals.ts'
import { Failure, type FailureMeta } from '../../core/failure.ts'
import { combinedLimits, type Limits, type Mandate, reduceOnlyCause } from '../../core/mandate.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { NOTHING_USED, type OrderUse } from '../../core/spending.ts'
import { reservedMarket } from '../../perp/account-exposure.ts'
import { amountNumber } from '../../perp/amounts.ts'
import { FIGURE_READS } from '../../perp/figure-reads.ts'
import { largestWithinValue } from '../../perp/largest-size.ts'
import { needsFigures } from '../../perp/limit-figures.ts'
import {
  type Excess,
  needsValue,
  openingExcess,
  type PlannedOrder,
  roomFor,
  symbolExcess,
  transferExcess,
  UNVALUED_MICROS,
  VALUE_REASONS,
  valueExcess,
} from '../../perp/limits.ts'
import { type OpeningOrder, worstPrice, worstValue } from '../../perp/order-worst-case.ts'
import { parseStrict, type StrictObject } from '../../perp/strict-json.ts'
import { changeExcess } from '../../perp/verdict.ts'
import { parseWrite, type WriteEffect } from '../../perp/write-effects.ts'
import { assertFields } from '../../perp/write-fields.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import type { KeptFigures } from './figures.ts'
import type { Mandates } from './mandates.ts'
import { type BoundedMarket, readMarketBounds } from './market-bounds.ts'
import { assertModeLeverage, type KeptModes } from './modes.ts'
import { neededFigures, readAfterMs } from './needed-figures.ts'
import { idClaims, idsExcess, repeatedId } from './order-ids.ts'
import { excessMeta, mandateExceeded, recordsLostFailure, unprovenKeyFailure } from './refusals.ts'
import { spendingScope, transferScope } from './scopes.ts'

/** Access of the gate for accounts with a mandate. */
export type GateAccess = MarketAccess & {
  readonly clock: Clock
  readonly venueClock: Clock
  readonly store: Pick<Store, 'once' | 'spending'>
  readonly mandates: Pick<Mandates, 'of'>
  readonly modes: KeptModes
  /** The operator's limits for every agent. */
  readonly agentLimits: Limits
  readonly figures: KeptFigures
}

/** A write as it was signed. */
export type AskedWrite = {
  /** Lower case. */
  readonly accountId: string
  /** Method and path, such as `POST /v1/order`. */
  readonly name: string
  readonly body: string
  /** The identity of the write. Envelopes with the same identity count as one write. */
  readonly identity: string
  /** When the venue stops accepting the write, by the wall clock. */
  readonly expiresAtMs: number
  /** Whether the venue has accepted the key for the account. */
  readonly proven: boolean
}

/** A write's use of a mandate, and its opening orders. */
export type WriteUse = ClaimedUse & { readonly orders: readonly OpeningOrder[] }

/** The use of a write that is refused. */
export function refusedUse({ accountId, identity }: AskedWrite, failure: Failure): WriteUse {
  return {
    reservation: { scope: spendingScope(accountId), identity, atMs: 0, uses: [] },
    ...{ ids: [], orders: [], unseenSinceMs: 0, refusal: () => failure },
  }
}

/** A write's maximum use of limits; null if no limit applies. Throws Failure: mandate_exceeded, invalid_request, unauthorized. */
export async function writeUse(
  deps: GateAccess,
  write: AskedWrite,
  mandate: Mandate,
): Promise<WriteUse | null> {
  const limits = combinedLimits(mandate.limits, deps.agentLimits)
  const read = boundedWrite(deps, write)
  if (read.kind === 'reduces') return null
  if (!write.proven) throw unprovenKeyFailure()
  assertOpen(deps, mandate, limits, read)
  if (read.kind === 'other') return null
  if (read.kind === 'transfers') return transferUse(deps, write, limits, read.micros)
  if (read.kind === 'changes') assertChange(deps, limits, read)
  else assertSymbols(limits, read.orders)
  const { accountId } = write
  for (const asked of read.kind === 'opens' ? read.orders : [read])
    assertModeLeverage(deps.modes, accountId, limits, asked)
  if (read.kind === 'opens') return ordersUse(deps, write, limits, read.orders)
  deps.modes.forget(accountId)
  return null
}

type KnownReductions = { readonly figures: Pick<KeptFigures, 'reducing'> }
type WriteText = Pick<AskedWrite, 'accountId' | 'name' | 'body'>

/** Whether a write is known to only cancel or reduce; false for a body that cannot be parsed. */
export function isReducing({ figures }: KnownReductions, write: WriteText): boolean {
  return onlyReduces(() => {
    const reducing = figures.reducing(write.accountId)
    return parseWrite(write.name, strictBody(write), reducing)
  })
}

/** Whether a write only cancels or reduces, with a body that every mandate accepts. The mandate of such a write is not read. */
export function needsNoMandate(deps: KnownReductions, write: WriteText): boolean {
  return onlyReduces(() => boundedWrite(deps, write))
}

function onlyReduces(read: () => WriteEffect): boolean {
  try {
    return read().kind === 'reduces'
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Parses a write for the mandate. Throws invalid_request for a body that two parsers may read differently. */
function boundedWrite({ figures }: KnownReductions, write: WriteText): WriteEffect {
  const body = strictBody(write)
  assertFields(write.name, body)
  return parseWrite(write.name, body, figures.reducing(write.accountId))
}

function strictBody({ body }: WriteText): StrictObject {
  return body === '' ? new Map() : parseStrict(body)
}

/** Throws mandate_exceeded while the account may not open positions or move money, and not_available after a loss of records. */
function assertOpen(
  { clock }: GateAccess,
  mandate: Mandate,
  limits: Limits,
  { kind }: WriteEffect,
): void {
  if (reduceOnlyCause(mandate) === 'frozen') throw mandateExceeded({ reason: 'frozen' })
  if (mandate.loss) throw recordsLostFailure(mandate.loss)
  const found = openingExcess(limits, clock.nowMs())
  // `reduce_only` allows moving money, which opens no position.
  const isMoney = kind === 'other' || kind === 'transfers'
  const [first] = found.filter(({ reason }) => !isMoney || reason !== 'reduce_only')
  if (first) throw mandateExceeded(excessMeta(first))
}

function assertSymbols(limits: Limits, orders: readonly OpeningOrder[]): void {
  const asked = orders.map(({ symbol }) => symbol ?? 'all markets')
  const [first] = symbolExcess(limits, asked)
  if (first) throw mandateExceeded(excessMeta(first))
}

function assertChange(
  { clock }: GateAccess,
  limits: Limits,
  { symbol, leverage: asked }: Extract<WriteEffect, { kind: 'changes' }>,
): void {
  const leverage = asked && Number(asked.text)
  const [first] = changeExcess(limits, { symbol, leverage }, clock.nowMs())
  if (first) throw mandateExceeded(excessMeta(first))
}

/** The use of the transfer limit; null without that limit. Throws mandate_exceeded for a transfer of an unknown sum. */
function transferUse(
  { venueClock }: GateAccess,
  { accountId, identity }: AskedWrite,
  limits: Limits,
  micros: bigint | null,
): WriteUse | null {
  if (limits.maxTransferUsdc === undefined) return null
  if (micros === null) throw mandateExceeded({ reason: 'unknown', next: ONLY_USDC })
  const uses = [{ symbol: 'USDC', micros, orders: 1 }]
  return {
    reservation: { scope: transferScope(accountId), identity, atMs: venueClock.nowMs(), uses },
    ...{ ids: [], orders: [], unseenSinceMs: 0 },
    refusal: (used) => {
      const [first] = transferExcess(limits, micros, used)
      return first ? mandateExceeded(excessMeta(first)) : null
    },
  }
}

const ONLY_USDC =
  'Only a transfer whose body is {"token":"USDC","receiver_list":[{"account_id":…,"amount":…}]} can be judged.'

async function ordersUse(
  deps: GateAccess,
  write: AskedWrite,
  limits: Limits,
  orders: readonly OpeningOrder[],
): Promise<WriteUse> {
  const { accountId, identity, expiresAtMs: seenByMs } = write
  const isJudged = needsFigures(limits)
  const kept = isJudged ? deps.figures.find(accountId, deps.clock.nowMs()) : null
  const bounds = await readNeededBounds(deps, limits, [...orders, ...(kept?.waiting ?? [])])
  const figures = isJudged ? neededFigures(limits, kept, bounds) : null
  const isConditionalEdit = write.name === 'PUT /v1/algo/order'
  const next = isConditionalEdit ? READ_CONDITIONAL_STEP : NAME_ALL_STEP
  const asked = orders.map((order) =>
    askedOrder({ limits, next }, order, bounds.get(order.symbol ?? '')),
  )
  const planned = asked.map((one) => one.planned)
  const isNamed = limits.onceByClientOrderId === true && write.name.startsWith('POST ')
  const ids = isNamed ? idClaims(deps.clock.nowMs(), accountId, orders) : []
  const atMs = deps.venueClock.nowMs()
  return {
    reservation: {
      scope: spendingScope(accountId),
      identity,
      atMs,
      uses: planned.map(toUse),
      seenByMs,
    },
    ...{ ids, orders },
    refusal: (used, isTaken) => {
      const check = { limits, used, figures }
      const [first] = valueExcess({ ...check, orders: planned })
      if (!first) return isTaken ? repeatedId() : idsExcess(ids, used)
      const mayFit = fitsAfterRead({ ...check, orders: planned }, deps.clock.nowMs())
      return mandateExceeded({
        ...excessMeta(first),
        ...(mayFit ? readAfterMs(limits, CLOCKS_APART_MS) : largestFitting(first, asked, check)),
      })
    },
    unseenSinceMs: (figures?.askedAtMs ?? 0) - CLOCKS_APART_MS,
  }
}

/**
 * Whether the orders will pass once the figures are read again. The orders must be within the limits by the figures
 * alone, and new figures must include every order that now counts in addition to the figures.
 */
function fitsAfterRead(check: Parameters<typeof valueExcess>[0], nowMs: number): boolean {
  const { unseenUntilMs = 0, ...used } = check.used
  if (unseenUntilMs > nowMs + CLOCKS_APART_MS) return false
  return valueExcess({ ...check, used: { ...used, unseen: NOTHING_USED.unseen } }).length === 0
}

/** Assumed maximum difference between the wall clocks of instances. */
const CLOCKS_APART_MS = 1000

/** The bounds of the orders' markets, if a limit needs them. */
function readNeededBounds(deps: GateAccess, limits: Limits, orders: readonly OpeningOrder[]) {
  const symbols = new Set(orders.flatMap(({ symbol }) => symbol ?? []))
  return needsValue(limits) ? readMarketBounds(deps, symbols) : NO_BOUNDS
}

/** An order of a write, its market if known, and its worst case. */
type AskedOrder = {
  readonly order: OpeningOrder
  readonly planned: PlannedOrder
  readonly bound: BoundedMarket | null
}

/** An order with its worst case. Throws mandate_exceeded if a limit needs the worst case and it is unknown. */
function askedOrder(
  { limits, next }: { readonly limits: Limits; readonly next: string },
  order: OpeningOrder,
  bound: BoundedMarket | null = null,
): AskedOrder {
  const micros = worstValue(order, bound)
  if (micros === null && needsValue(limits)) throw mandateExceeded({ reason: 'unknown', next })
  const value = micros ?? UNVALUED_MICROS
  const { side, mode, symbol } = order
  const planned = { symbol: symbol ?? '', side, mode, micros: value, dayMicros: value }
  return { order, bound, planned }
}

const NO_BOUNDS: ReadonlyMap<string, BoundedMarket> = new Map()

/**
 * The largest value at which the order of a refused write would pass all limits. For an order by quantity, also the
 * price at which it is valued, and the largest quantity (0 if no size passes). Empty for several orders, and for
 * refusals that do not depend on the value.
 */
function largestFitting(
  { reason }: Excess,
  [only, ...others]: readonly AskedOrder[],
  check: Parameters<typeof roomFor>[1],
): FailureMeta {
  if (!only || others.length > 0 || !VALUE_REASONS.has(reason)) return {}
  const { order, planned, bound } = only
  const room = roomFor(planned, check)
  const fits = { fitsUsdc: usdcNumber(room) }
  const price = worstPrice(order, bound)
  if (!price || !bound || order.amount !== null) return fits
  return {
    ...fits,
    worstPrice: amountNumber(price),
    largestOrderQuantity: amountNumber(largestWithinValue(bound, order, room)),
  }
}

const NAME_ALL_STEP =
  'The worst case does not stand in the body: give price and quantity, or cancel and place anew.'

const READ_CONDITIONAL_STEP = `Relay GET ${FIGURE_READS[0]} first: then an edit of an order that can only reduce goes. Cancel one that opens, and place it anew.`

function toUse({ symbol, side, dayMicros }: PlannedOrder): OrderUse {
  return { symbol: reservedMarket(symbol, side), micros: dayMicros, orders: 1 }
}
