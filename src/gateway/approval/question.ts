import type { Approval } from '../../core/approval.ts'
import { larger, mulDiv, ONE } from '../../core/decimals.ts'
import { type Limits, usdcText } from '../../core/mandate.ts'
import { productMicros, sumOrNull, toMicros } from '../../perp/amounts.ts'
import { type MarketBound, type OpeningOrder, worstValue } from '../../perp/order-worst-case.ts'
import { parseStrict, type StrictObject } from '../../perp/strict-json.ts'
import { parseWrite, type WriteEffect } from '../../perp/write-effects.ts'
import { assertFields } from '../../perp/write-fields.ts'
import type { KeptAccount } from '../mandate/figures.ts'
import { readMarketBounds } from '../mandate/market-bounds.ts'
import type { KeptModes } from '../mandate/modes.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { type AccountModes, orderEffects, settingEffects } from './effects.ts'
import { writeSentences } from './sentences.ts'

/** A write that may need an approval. */
export type WriteInQuestion = {
  /** Lower case. */
  readonly accountId: string
  /** Method and path, such as `POST /v1/order`. */
  readonly name: string
  readonly body: string
  /** Whether the caller requires an approval, independently of the value. */
  readonly needsApproval: boolean
}

/** The question to an owner about a write. */
export type ApprovalQuestion = {
  /** The write and its effects as text, and its value as decimal text. */
  readonly shown: Pick<Approval, 'order' | 'effects' | 'costUsdc' | 'worstUsdc'>
  /** The largest value of the write if it is sent now, in millionths of USDC; null while the value is unknown. */
  readonly mostMicros: bigint | null
  /**
   * Set if the write needs no approval while the day's unapproved writes stay within `maxMicros`. `micros`: the value
   * of this write.
   */
  readonly unapproved: { readonly micros: bigint; readonly maxMicros: bigint } | null
}

type ApprovalLimits = Pick<Limits, 'approveAboveUsdc' | 'approveAboveDailyUsdc' | 'approveChanges'>

type ApprovalReadAccess = MarketAccess & {
  readonly modes: Pick<KeptModes, 'defaultMode' | 'leverage'>
}

/**
 * Composes the question to the account's owner about a write; null if the write needs no approval. Throws Failure:
 * invalid_request for a body that two parsers may read differently.
 */
export async function composeQuestion(
  deps: ApprovalReadAccess,
  write: WriteInQuestion & {
    readonly limits: ApprovalLimits
    /** The figures of the account; null if they are unknown. */
    readonly account: KeptAccount | null
  },
): Promise<ApprovalQuestion | null> {
  const { limits, account, accountId } = write
  const modes = accountModes(deps.modes, accountId)
  const { approveAboveUsdc, approveAboveDailyUsdc, approveChanges } = limits
  const isOfValue = approveAboveUsdc !== undefined || approveAboveDailyUsdc !== undefined
  if (!write.needsApproval && !isOfValue && !approveChanges) return null
  const body: StrictObject = write.body === '' ? new Map() : parseStrict(write.body)
  assertFields(write.name, body)
  const read = parseWrite(write.name, body)
  if (read.kind === 'reduces') return null
  if (read.kind !== 'opens')
    return changeQuestion(write, read, body, limits, settingEffects(read, body, account, modes))
  const isModeChanged = read.orders.some(({ symbol, mode }) => {
    return mode !== null && modes.defaultMode(symbol) !== mode
  })
  const needsApproval = write.needsApproval || (approveChanges === true && isModeChanged)
  const asking = { ...write, needsApproval }
  const { orders } = read
  const effects = (bounds: Bounds) => orderEffects(orders, bounds, account, modes)
  return readOrdersQuestion(deps, asking, { body, orders, effects }, limits)
}

/** Writes that change neither money nor risk. */
const HARMLESS = /^POST \/v1\/(?:settle_pnl$|notification\/|referral\/)/

function changeQuestion(
  { name, needsApproval }: WriteInQuestion,
  { kind }: WriteEffect,
  body: StrictObject,
  { approveChanges }: ApprovalLimits,
  effects: readonly string[],
): ApprovalQuestion | null {
  const isHarmless = kind === 'other' && HARMLESS.test(name)
  if (!needsApproval && (isHarmless || !approveChanges)) return null
  const order = writeSentences(name, body, NO_BOUNDS).join('\n')
  const shown = { order, effects: joinedLines(effects), costUsdc: null, worstUsdc: null }
  return { shown, mostMicros: null, unapproved: null }
}

type Bounds = ReadonlyMap<string, MarketBound>

const NO_BOUNDS: Bounds = new Map()

/** The lines as one stored text; null for an empty list. */
function joinedLines(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n')
}

/** The cached modes and leverages of one account. */
function accountModes(modes: ApprovalReadAccess['modes'], accountId: string): AccountModes {
  return {
    defaultMode: (symbol) => modes.defaultMode(accountId, symbol),
    leverage: (symbol, mode) => modes.leverage(accountId, symbol, mode),
  }
}

type OrdersToApprove = {
  readonly body: StrictObject
  readonly orders: readonly OpeningOrder[]
  readonly effects: (bounds: Bounds) => readonly string[]
}

async function readOrdersQuestion(
  deps: MarketAccess,
  { name, needsApproval }: WriteInQuestion,
  { body, orders, effects }: OrdersToApprove,
  { approveAboveUsdc: above, approveAboveDailyUsdc: maxMicros }: ApprovalLimits,
): Promise<ApprovalQuestion | null> {
  if (!needsApproval && above === undefined && maxMicros === undefined) return null
  const symbols = new Set(orders.flatMap(({ symbol }) => symbol ?? []))
  const bounds = await readMarketBounds(deps, symbols)
  const totalValue = (value: typeof worstValue, risen: bigint) =>
    sumOrNull(orders, (order) => value(order, risenBound(bounds.get(order.symbol ?? ''), risen)))
  const worst = totalValue(worstValue, 0n)
  const isWithin = !needsApproval && worst !== null && (above === undefined || worst <= above)
  if (isWithin && maxMicros === undefined) return null
  return {
    unapproved: isWithin && maxMicros !== undefined ? { micros: worst, maxMicros } : null,
    shown: {
      order: writeSentences(name, body, bounds).join('\n'),
      effects: joinedLines(effects(bounds)),
      costUsdc: optionalUsdcText(totalValue(plainValue, 0n)),
      worstUsdc: optionalUsdcText(totalValue(worstValue, SIGNED_RISE_HALVES)),
    },
    mostMicros: totalValue(worstValue, SENT_RISE_HALVES),
  }
}

/**
 * Assumed rises of the mark price, in halves of the market's price range. The owner signs the value after a rise by the
 * whole range. The check before sending assumes a rise by half of the range between the cached mark price and the
 * execution.
 */
const SIGNED_RISE_HALVES = 2n
const SENT_RISE_HALVES = 1n

function risenBound(bound: MarketBound | undefined, halves: bigint): MarketBound | null {
  if (!bound) return null
  const { mark, priceRange } = bound
  return { mark: mulDiv(mark, 2n * ONE + halves * priceRange, 2n * ONE, 'ceil'), priceRange }
}

/**
 * The likely cost of an order. A buy with a limit price is valued at that price. Any other order is valued at its own
 * price or the mark price, whichever is higher.
 */
function plainValue(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { buysUpTo, highest, quantity, amount } = order
  if (amount !== null) return toMicros(amount)
  const price = buysUpTo ?? (bound && larger(highest, bound.mark))
  return price === null || quantity === null ? null : productMicros(quantity, price)
}

function optionalUsdcText(micros: bigint | null): string | null {
  return micros === null ? null : usdcText(micros)
}
