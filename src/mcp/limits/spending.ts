import { figuresOf } from '../../core/account-figures.ts'
import { toHex } from '../../core/hex.ts'
import {
  type AccountFigures,
  type Excess,
  needsFigures,
  openingExcess,
  type PlannedOrder,
  valueExcess,
} from '../../core/limit-check.ts'
import type { Limits } from '../../core/mandate.ts'
import type { Reservation, Used } from '../../core/spending.ts'
import { accountRead } from '../account-call.ts'
import { exceeded, limitsOf, shownExcess } from '../limit-rules.ts'
import { refusal } from '../refusal.ts'
import type { Row } from '../rows.ts'
import { type SignedContext, type ToolContext, ToolFailure } from '../tool.ts'
import { venueNowMs, venueTimeMs } from '../views/current.ts'

/** The value by which a write counts towards the limits, in micro-USDC. */
export type Spending = {
  /** Opening orders count; what only takes back or reduces always goes; a setting goes where orders may be opened. */
  readonly kind: 'opens' | 'reduces' | 'changes'
  /** The whole value of the order as it will be. */
  readonly order: bigint
  /** The value it adds to the day: the growth alone for an order that grows. */
  readonly daily: bigint
}

/** A cancel, a reduce-only order, an order that shrinks. */
export const NO_SPENDING: Spending = { kind: 'reduces', order: 0n, daily: 0n }

/** A leverage or a margin mode. */
export const SETTING_CHANGE: Spending = { kind: 'changes', order: 0n, daily: 0n }

/** A write within limits: its market and its value. */
type Valued = { readonly symbol: string; readonly spending: Spending }

export const NOTHING_USED: Used = {
  dayMicros: 0n,
  dayRenewsAtMs: null,
  minuteOrders: 0,
  minuteRenewsAtMs: null,
  unseen: new Map(),
}

/** The limits that orders would break together, as rows of answers; empty when they may go. */
export async function brokenLimits(
  context: ToolContext,
  writes: readonly Valued[],
): Promise<readonly Row[]> {
  const [first, ...others] = writes.filter(({ spending }) => spending.kind === 'opens')
  if (!first) return []
  const limits = limitsOf(context)
  const { credentials } = context
  const signed = credentials ? { ...context, credentials } : null
  const used = counts(limits) ? await usedBy(context, first.symbol) : NOTHING_USED
  const figures = signed && needsFigures(limits) ? await figuresIn(signed) : null
  const found = [
    ...openingExcess(limits, context.clock.nowMs()),
    ...valueExcess({ limits, orders: [first, ...others].map(orderOf), used, figures }),
  ]
  return found.map((excess) => shownExcess(context, excess))
}

function orderOf({ symbol, spending }: Valued): PlannedOrder {
  return { symbol, micros: spending.order, dayMicros: spending.daily }
}

/** Whether what is used has to be known. */
export function counts(limits: Limits): boolean {
  const { maxDailyUsdc, maxOrdersPerMinute } = limits
  return maxDailyUsdc !== undefined || maxOrdersPerMinute !== undefined || needsFigures(limits)
}

/**
 * Sends a write within the limits: reserves its value before it goes, and gives that back only when it certainly did not.
 * Throws mandate_exceeded with the limit, what was asked and what is left, before anything is signed.
 */
export async function withinLimits<T>(
  context: SignedContext,
  write: Valued,
  send: () => Promise<T>,
): Promise<T> {
  if (write.spending.kind === 'reduces') return send()
  const limits = limitsOf(context)
  refuse(context, openingExcess(limits, context.clock.nowMs()))
  if (write.spending.kind === 'changes') return send()
  if (counts(limits)) return reservedFor(context, limits, write, send)
  refuse(context, valueExcess({ ...checkOf(limits, write), used: NOTHING_USED, figures: null }))
  return send()
}

function checkOf(limits: Limits, write: Valued) {
  return { limits, orders: [orderOf(write)] }
}

function refuse(context: ToolContext, [first]: readonly Excess[]): void {
  if (first) throw exceeded(context, first)
}

async function reservedFor<T>(
  context: SignedContext,
  limits: Limits,
  write: Valued,
  send: () => Promise<T>,
): Promise<T> {
  const { spending, clock } = context
  const figures = needsFigures(limits) ? await figuresIn(context) : null
  const reservation = await reservationOf(context, write)
  const refused = await spending.reserve(
    reservation,
    (used) => valueExcess({ ...checkOf(limits, write), used, figures })[0] ?? null,
    figures?.askedAtMs ?? Number.MAX_SAFE_INTEGER,
  )
  refuse(context, refused ? [refused] : [])
  try {
    const result = await send()
    await spending.settle(reservation, clock.nowMs())
    return result
  } catch (error) {
    if (!isOutcomeUnknown(error)) await spending.release(reservation)
    throw error
  }
}

const IDENTITY_BYTES = 16

async function reservationOf(
  context: SignedContext,
  { symbol, spending }: Valued,
): Promise<Reservation> {
  return {
    scope: scopeOf(context),
    identity: toHex(context.random.bytes(IDENTITY_BYTES)),
    atMs: await venueNowMs(context, symbol),
    uses: [{ symbol, micros: spending.daily, orders: 1 }],
  }
}

/** Orders of an account and key count together; another's key can use up nothing. */
function scopeOf({ credentials: { accountId, key } }: SignedContext): string {
  const text = JSON.stringify(['agent limits', accountId.toLowerCase(), key])
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

/** The account's figures of this moment. Throws mandate_exceeded where the venue does not give them. */
async function figuresIn(context: SignedContext): Promise<AccountFigures> {
  const askedAtMs = context.clock.nowMs()
  const figures = figuresOf(await accountRead(context, '/v1/positions'), askedAtMs)
  if (figures) return figures
  throw refusal('mandate_exceeded', { reason: 'unknown', next: NO_FIGURES })
}

const NO_FIGURES =
  'The venue gives no figures of the account now, without which its limits cannot be judged. Only reduce-only orders go.'

/** What is used, by the time of the venue; nothing without credentials. */
export async function usedBy(context: ToolContext, symbol?: string): Promise<Used> {
  const { credentials, spending } = context
  if (!credentials) return NOTHING_USED
  const atMs = await (symbol === undefined ? venueTimeMs(context) : venueNowMs(context, symbol))
  return spending.used(scopeOf({ ...context, credentials }), atMs)
}

/** Whether a write that failed may have happened all the same. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'outcome_unknown'
}
