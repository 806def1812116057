import { Failure, type FailureMeta, invalid } from '../../core/failure.ts'
import {
  type Excess,
  needsFigures,
  openingExcess,
  type PlannedOrder,
  symbolExcess,
  valueExcess,
} from '../../core/limit-check.ts'
import { type Limits, type Mandate, tightest } from '../../core/mandate.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { ReservedWrite } from '../../core/spending.ts'
import { DAY_MS } from '../../spec/durations.ts'
import type { MarketDeps } from '../market/shaped.ts'
import type { KeptFigures } from './figures.ts'
import type { Mandates } from './mandates.ts'
import { marketBounds } from './market-bounds.ts'
import { type Decimal, parseStrict } from './strict-json.ts'
import {
  type MarketBound,
  type OpeningOrder,
  type Write,
  worstValue,
  writeOf,
} from './worst-case.ts'
import { assertFields } from './write-fields.ts'

/** What the gate of accounts with a mandate uses. */
export type GateDeps = MarketDeps & {
  readonly clock: Clock
  readonly venueClock: Clock
  readonly store: Pick<Store, 'once' | 'spending'>
  readonly mandates: Pick<Mandates, 'of'>
  /** What the operator allows every agent at most. */
  readonly agentLimits: Limits
}

export type GateParts = GateDeps & { readonly figures: KeptFigures }

/** A write of an account with a mandate, as it was signed. */
export type BoundedWrite = {
  readonly mandate: Mandate
  /** Method and path, such as `POST /v1/order`. */
  readonly name: string
  readonly body: string
  /** What makes two writes the same write. */
  readonly identity: string
  /** Whether the venue has accepted the key for the account. */
  readonly proven: boolean
}

/** What was reserved for a write, and the ids of its orders that were claimed. */
export type Held = { readonly write: ReservedWrite; readonly claims: readonly string[] }

/** Gives back what was reserved for a write that was not done. */
export async function giveBack({ store }: GateParts, { write, claims }: Held): Promise<void> {
  await store.spending.release(write)
  for (const identity of claims) await store.once.release(identity)
}

/**
 * Reserves what a write may use; null where it uses nothing. Throws Failure: mandate_exceeded, invalid_request,
 * duplicate_request, unauthorized.
 */
export async function reserved(deps: GateParts, write: BoundedWrite): Promise<Held | null> {
  const { mandate, name, body } = write
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
  return reserveOrders(deps, { ...write, limits }, read.orders)
}

function unproven(): Failure {
  return new Failure('unauthorized', {
    reason: 'key_unknown',
    next: 'Relay any signed read with this key first.',
  })
}

/** Throws mandate_exceeded where nothing is opened at all. */
function assertOpen(
  { clock }: GateParts,
  { frozenBy }: Mandate,
  limits: Limits,
  { kind }: Write,
): void {
  if (frozenBy !== 'none') throw exceeded({ reason: 'frozen' })
  const found = openingExcess(limits, clock.nowMs())
  // Money that moves opens nothing.
  const [first] = found.filter(({ reason }) => kind !== 'other' || reason !== 'reduce_only')
  if (first) throw exceeded(metaOf(first))
}

function assertSymbols(limits: Limits, read: Exclude<Write, { kind: 'reduces' | 'other' }>): void {
  if (!limits.symbols) return
  const asked = read.kind === 'opens' ? read.orders.map(({ symbol }) => symbol) : [read.symbol]
  const [first] = symbolExcess(
    limits,
    asked.map((symbol) => symbol ?? 'all markets'),
  )
  if (first) throw exceeded(metaOf(first))
}

function assertLeverage({ maxLeverage }: Limits, asked: Decimal | null): null {
  const requested = Number(asked?.text ?? 0)
  if (maxLeverage === undefined || requested <= maxLeverage) return null
  throw exceeded({ reason: 'leverage', limit: maxLeverage, requested })
}

type OpeningWrite = BoundedWrite & { readonly limits: Limits }

async function reserveOrders(
  deps: GateParts,
  write: OpeningWrite,
  orders: readonly OpeningOrder[],
): Promise<Held> {
  const { limits, mandate, identity } = write
  const planned = await plannedOrders(deps, limits, orders)
  const figures = deps.figures.find(mandate.accountId, deps.clock.nowMs())
  if (needsFigures(limits) && !figures) throw exceeded({ reason: 'unknown', next: READ_FIRST })
  const held = { scope: `mandate ${mandate.accountId}`, identity }
  const refused = await deps.store.spending.reserve(
    { ...held, atMs: deps.venueClock.nowMs(), uses: usesOf(planned) },
    (used) => valueExcess({ limits, orders: planned, used, figures })[0] ?? null,
    (figures?.askedAtMs ?? 0) - CLOCKS_APART_MS,
  )
  if (refused) throw exceeded(metaOf(refused))
  return { write: held, claims: await claimIds(deps, write, orders, held) }
}

/** How far the wall clocks of instances may be apart for figures of one to be right for another. */
const CLOCKS_APART_MS = 1000

const READ_FIRST = 'Relay GET /v1/positions first: its figures count for ten seconds.'

/** The orders at their worst case. Throws mandate_exceeded where that is not known and a limit needs it. */
async function plannedOrders(
  deps: GateParts,
  limits: Limits,
  orders: readonly OpeningOrder[],
): Promise<readonly PlannedOrder[]> {
  const symbols = new Set(orders.flatMap(({ symbol }) => symbol ?? []))
  const bounds = needsValue(limits) ? await marketBounds(deps, symbols) : NO_BOUNDS
  return orders.map((order) => {
    const micros = worstValue(order, bounds.get(order.symbol ?? '') ?? null)
    if (micros === null && needsValue(limits)) throw exceeded({ reason: 'unknown', next: NAME_ALL })
    const value = micros ?? UNVALUED_MICROS
    return { symbol: order.symbol ?? '', micros: value, dayMicros: value }
  })
}

/** An order that no limit has a value of opens all the same, which is what a limit of losses asks. */
const UNVALUED_MICROS = 1n

const NO_BOUNDS: ReadonlyMap<string, MarketBound> = new Map()

const NAME_ALL =
  'The worst case does not stand in the body: give price and quantity, or cancel and place anew.'

function needsValue({ maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage }: Limits): boolean {
  return [maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage].some(
    (limit) => limit !== undefined,
  )
}

/** What orders use, one row a market. */
function usesOf(orders: readonly PlannedOrder[]) {
  const uses = new Map<string, { symbol: string; micros: bigint; orders: number }>()
  for (const { symbol, dayMicros } of orders) {
    const use = uses.get(symbol) ?? { symbol, micros: 0n, orders: 0 }
    uses.set(symbol, { symbol, micros: use.micros + dayMicros, orders: use.orders + 1 })
  }
  return [...uses.values()]
}

/** Claims the orders' own ids for a day, where the mandate wants each once. Throws duplicate_request, invalid_request. */
async function claimIds(
  deps: GateParts,
  { limits, mandate, name }: OpeningWrite,
  orders: readonly OpeningOrder[],
  write: ReservedWrite,
): Promise<readonly string[]> {
  if (!limits.onceByClientOrderId || !name.startsWith('POST ')) return []
  const nowMs = deps.clock.nowMs()
  const claims: string[] = []
  for (const { clientOrderId } of orders) {
    const identity = idOf(mandate, clientOrderId ?? '')
    const claim = { identity, sinceMs: nowMs - DAY_MS, expiresAtMs: nowMs + DAY_MS }
    const isNew = clientOrderId !== null && (await deps.store.once.claim(claim, nowMs))
    if (isNew) claims.push(identity)
    else {
      await giveBack(deps, { write, claims })
      throw clientOrderId === null
        ? invalid('body.client_order_id', 'missing')
        : new Failure('duplicate_request', { parameter: 'body.client_order_id' })
    }
  }
  return claims
}

function idOf({ accountId }: Mandate, clientOrderId: string): string {
  const text = JSON.stringify(['mandate order', accountId, clientOrderId])
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

function metaOf({ name: _, limit, ...excess }: Excess): FailureMeta {
  return { ...excess, ...(typeof limit !== 'boolean' && { limit }) }
}

function exceeded(meta: FailureMeta): Failure {
  return new Failure('mandate_exceeded', meta)
}
