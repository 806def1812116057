import type { Claim, ClaimedUse } from '../../core/claim.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, invalid } from '../../core/failure.ts'
import { type Loss, lossText } from '../../core/loss.ts'
import { type Limits, type Mandate, tightest } from '../../core/mandate.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { Use, Used } from '../../core/spending.ts'
import { reservedMarket } from '../../perp/exposure.ts'
import {
  needsValue,
  openingExcess,
  type PlannedOrder,
  symbolExcess,
  valueExcess,
} from '../../perp/limits.ts'
import { type Decimal, parseStrict } from '../../perp/strict-json.ts'
import { type OpeningOrder, type SizedBound, worstValue } from '../../perp/worst-case.ts'
import { type Write, writeOf } from '../../perp/write-effects.ts'
import { assertFields } from '../../perp/write-fields.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { MarketDeps } from '../market/shaped.ts'
import type { KeptFigures } from './figures.ts'
import { type AskedOrder, fittingOf } from './fitting.ts'
import type { Mandates } from './mandates.ts'
import { marketBounds } from './market-bounds.ts'
import { figuresWith, neededFigures } from './needed-figures.ts'
import { exceeded, excessMeta, unproven } from './refusals.ts'

/** The dependencies of the gate for accounts with a mandate. */
export type GateDeps = MarketDeps & {
  readonly clock: Clock
  readonly venueClock: Clock
  readonly store: Pick<Store, 'once' | 'spending'>
  readonly mandates: Pick<Mandates, 'of'>
  /** What the operator allows every agent at most. */
  readonly agentLimits: Limits
}

export type GateParts = GateDeps & { readonly figures: KeptFigures }

/** A write as it was signed. */
export type AskedWrite = {
  /** Lower case. */
  readonly accountId: string
  /** Method and path, such as `POST /v1/order`. */
  readonly name: string
  readonly body: string
  /** The identity of a write: two writes with the same are one write. */
  readonly identity: string
  /** Whether the venue has accepted the key for the account. */
  readonly proven: boolean
}

/** The use of a mandate by a write, and the orders that use it. */
export type WriteUse = ClaimedUse & { readonly orders: readonly OpeningOrder[] }

/** Whose spending the writes of an account count towards. */
export function scopeOf(accountId: string): string {
  return `mandate ${accountId}`
}

/** The use of a write that may not go at all. */
export function refusedUse({ accountId, identity }: AskedWrite, failure: Failure): WriteUse {
  return {
    reservation: { scope: scopeOf(accountId), identity, atMs: 0, uses: [] },
    ...{ ids: [], orders: [], unseenSinceMs: 0, refusal: () => failure },
  }
}

/**
 * What a write may use at most; null where it uses nothing. Throws Failure: mandate_exceeded, invalid_request,
 * unauthorized.
 */
export async function writeUse(
  deps: GateParts,
  write: AskedWrite,
  mandate: Mandate,
): Promise<WriteUse | null> {
  const { name, body } = write
  const limits = tightest(mandate.limits, deps.agentLimits)
  const fields = body === '' ? new Map() : parseStrict(body)
  assertFields(name, fields)
  const read = writeOf(name, fields)
  if (read.kind === 'reduces') return null
  if (!write.proven) throw unproven()
  assertOpen(deps, mandate, limits, read)
  if (read.kind === 'other') return null
  assertSymbols(limits, read)
  if (read.kind === 'changes') return assertLeverage(limits, read.leverage)
  return ordersUse(deps, write, limits, read.orders)
}

/** Whether a write only cancels or reduces, as its body says; false for a body that cannot be read. */
export function isReducing({ name, body }: Pick<AskedWrite, 'name' | 'body'>): boolean {
  try {
    const fields = body === '' ? new Map() : parseStrict(body)
    return writeOf(name, fields).kind === 'reduces'
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Throws mandate_exceeded where nothing is opened at all. */
function assertOpen(
  { clock }: GateParts,
  { frozenBy, loss }: Mandate,
  limits: Limits,
  { kind }: Write,
): void {
  if (frozenBy !== 'none') throw exceeded({ reason: 'frozen' })
  if (loss) throw afterLoss(loss)
  const found = openingExcess(limits, clock.nowMs())
  // Money that moves opens nothing.
  const [first] = found.filter(({ reason }) => kind !== 'other' || reason !== 'reduce_only')
  if (first) throw exceeded(excessMeta(first))
}

/** The refusal of what opens or moves something while records are known to be lost. */
function afterLoss(loss: Loss): Failure {
  return new Failure('not_available', {
    reason: 'restored',
    sentence: lossText(loss),
    next: AFTER_LOSS,
  })
}

const AFTER_LOSS =
  'Cancel and reduce as you need. To open again, the wallet of the account signs its mandate, or the operator confirms the lost period.'

function assertSymbols(limits: Limits, read: Exclude<Write, { kind: 'reduces' | 'other' }>): void {
  if (!limits.symbols) return
  const asked = read.kind === 'opens' ? read.orders.map(({ symbol }) => symbol) : [read.symbol]
  const [first] = symbolExcess(
    limits,
    asked.map((symbol) => symbol ?? 'all markets'),
  )
  if (first) throw exceeded(excessMeta(first))
}

function assertLeverage({ maxLeverage }: Limits, asked: Decimal | null): null {
  const requested = Number(asked?.text ?? 0)
  if (maxLeverage === undefined || requested <= maxLeverage) return null
  throw exceeded({ reason: 'leverage', limit: maxLeverage, requested })
}

async function ordersUse(
  deps: GateParts,
  write: AskedWrite,
  limits: Limits,
  orders: readonly OpeningOrder[],
): Promise<WriteUse> {
  const { accountId, identity } = write
  const kept = neededFigures(deps, accountId, limits)
  const bounds = await boundsOf(deps, limits, [...orders, ...(kept?.waiting ?? [])])
  const figures = kept && figuresWith(kept, bounds)
  const asked = orders.map((order) => askedOrder(limits, order, bounds.get(order.symbol ?? '')))
  const planned = asked.map((one) => one.planned)
  const isNamed = limits.onceByClientOrderId === true && write.name.startsWith('POST ')
  const ids = isNamed ? idClaims(deps, accountId, orders) : []
  const atMs = deps.venueClock.nowMs()
  return {
    reservation: { scope: scopeOf(accountId), identity, atMs, uses: planned.map(useOf) },
    ...{ ids, orders },
    refusal: (used, isTaken) => {
      const check = { limits, used, figures }
      const [first] = valueExcess({ ...check, orders: planned })
      if (first) return exceeded({ ...excessMeta(first), ...fittingOf(first, asked, check) })
      return isTaken ? new Failure('duplicate_request', { parameter: ID }) : idsExcess(ids, used)
    },
    unseenSinceMs: (figures?.askedAtMs ?? 0) - CLOCKS_APART_MS,
  }
}

/** How far the wall clocks of instances may be apart for figures of one to be right for another. */
const CLOCKS_APART_MS = 1000

/** The markets of orders, where a limit needs them. */
function boundsOf(deps: GateParts, limits: Limits, orders: readonly OpeningOrder[]) {
  const symbols = new Set(orders.flatMap(({ symbol }) => symbol ?? []))
  return needsValue(limits) ? marketBounds(deps, symbols) : NO_BOUNDS
}

/** An order at its worst case. Throws mandate_exceeded where that is not known and a limit needs it. */
function askedOrder(
  limits: Limits,
  order: OpeningOrder,
  bound: SizedBound | null = null,
): AskedOrder {
  const micros = worstValue(order, bound)
  if (micros === null && needsValue(limits)) throw exceeded({ reason: 'unknown', next: NAME_ALL })
  const value = micros ?? UNVALUED_MICROS
  const { side, mode, symbol } = order
  const planned = { symbol: symbol ?? '', side, mode, micros: value, dayMicros: value }
  return { order, bound, planned }
}

/** An order that no limit has a value of opens all the same, which is what a limit of losses asks. */
const UNVALUED_MICROS = 1n

const NO_BOUNDS: ReadonlyMap<string, SizedBound> = new Map()

const NAME_ALL =
  'The worst case does not stand in the body: give price and quantity, or cancel and place anew.'

function useOf({ symbol, side, dayMicros }: PlannedOrder): Use {
  return { symbol: reservedMarket(symbol, side), micros: dayMicros, orders: 1 }
}

const ID = 'body.client_order_id'

/** Claims of the orders' own ids for a day. Throws invalid_request for one without, duplicate_request for one twice. */
function idClaims(
  { clock }: GateParts,
  accountId: string,
  orders: readonly OpeningOrder[],
): readonly Claim[] {
  const given = orders.map(({ clientOrderId }) => clientOrderId)
  if (given.includes(null)) throw invalid(ID, 'missing')
  if (new Set(given).size < given.length) throw new Failure('duplicate_request', { parameter: ID })
  const nowMs = clock.nowMs()
  return given.map((id) => {
    const identity = sha256Hex(JSON.stringify(['mandate order', accountId, id]))
    const owner = accountId
    return { identity, owner, sinceMs: nowMs - DAY_MS, expiresAtMs: nowMs + DAY_MS }
  })
}

/** The refusal of ids beyond an account's share of those that are held. */
function idsExcess({ length }: readonly Claim[], { dayOrders }: Used): Failure | null {
  const limit = LIMITS.orderIdsHeldMax
  const requested = dayOrders + length
  if (length === 0 || requested <= limit) return null
  return exceeded({ reason: 'rate', limit, requested, left: Math.max(0, limit - dayOrders) })
}
