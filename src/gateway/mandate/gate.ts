import type { MandateUse } from '../../contract/mandate.ts'
import type { ClaimedUse } from '../../core/claim.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, parsedJson, type Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { combinedLimits, type Limits, type Mandate } from '../../core/mandate.ts'
import { endedOrderFills, isAcceptedOrder, rowOrderId } from '../../core/order-fills.ts'
import type { OrderOutcome } from '../../core/spending.ts'
import { needsDayResult } from '../../perp/limit-figures.ts'
import type { OpeningOrder } from '../../perp/order-worst-case.ts'
import type { PeriodRows } from '../../perp/pnl.ts'
import type { Reply } from '../scrub/reply.ts'
import type { AnsweredRead } from './figures.ts'
import {
  type AskedWrite,
  type GateAccess,
  isReducing,
  needsNoMandate,
  refusedUse,
  type WriteUse,
  writeUse,
} from './reserve.ts'
import { spendingScope } from './scopes.ts'
import { readMandateUse, stillOpening } from './use.ts'

/** Keeps writes of accounts within their mandates. */
export type MandateGate = {
  /** Checks and sends a write within its account's mandate, if the account has one. */
  readonly bound: (write: AskedWrite) => BoundWrite
  /** Functions by the path of a read, which take figures from answers for accounts with a mandate. */
  readonly learns: ReadonlyMap<string, Learn>
  /**
   * Functions by the path of a read. Each takes figures from an answer for any account, so that prepd can show them to
   * the account's owner.
   */
  readonly shows: ReadonlyMap<string, Learn>
  /** The tighter value of each limit of an account and of the operator. */
  readonly effectiveLimits: (limits: Limits) => Limits
  /** An account's use of its limits and the time at which the use renews, in the form of answers. */
  readonly usedOf: (accountId: string, limits: Limits) => Promise<MandateUse>
  /**
   * For an account that may not open positions: orders that can still open a position, or null while they are unknown.
   * Empty for an account that may open positions.
   */
  readonly stillOpening: (mandate: Mandate) => Pick<MandateUse, 'stillOpening'>
}

type BoundWrite = {
  /**
   * The write's use of limits, reserved in the commit of its claim; null if it uses no limit. The commit refuses a
   * forbidden write with one of:
   * - mandate_exceeded with the reason, the limit, the requested amount and the unused part of the limit.
   * - invalid_request for a body that two parsers may read differently.
   * - unauthorized for a key that the venue has not accepted.
   */
  readonly use: () => Promise<ClaimedUse | null>
  /** Whether the write's body only cancels or reduces, with or without a mandate. */
  readonly isReducing: () => boolean
  /** Sends the claimed write. Releases its use of limits after a definite refusal by the venue. */
  readonly send: (
    send: () => Promise<Reply>,
    isClaimGivenBack: (error: unknown) => boolean,
  ) => Promise<Reply>
}

type Learn = (read: AnsweredRead, answer: Reply) => Promise<void>

/** Creates the mandate gate. */
export function createMandateGate(parts: GateAccess): MandateGate {
  const { figures, modes } = parts
  const bounded = (keep: Keep) => forMandatedAccounts(parts, keep)
  const settle = settleFills(parts)
  return {
    bound: (write) => boundWrite(parts, write),
    effectiveLimits: (limits) => combinedLimits(limits, parts.agentLimits),
    usedOf: (accountId, limits) => readMandateUse(parts, accountId, limits),
    stillOpening: (mandate) => stillOpening(parts, mandate),
    learns: new Map([
      ['/v1/positions', bounded(figures.keepPositions)],
      ['/v1/algo/orders', bounded(figures.keepWaiting)],
      ['/v1/algo/order/{id}', bounded(figures.keepReducing)],
      ['/v1/trades', bounded(keepDay(parts, 'fills'))],
      ['/v1/funding_fee/history', bounded(keepDay(parts, 'funding'))],
      ['/v1/liquidations', bounded(keepDay(parts, 'liquidations'))],
      ['/v1/client/margin_modes', bounded(modes.keepModes)],
      ['/v1/client/leverages', bounded(modes.keepLeverages)],
      ['/v1/order/{id}', bounded(settle)],
      [
        '/v1/orders',
        bounded((read, answer, mandate) => {
          figures.keepOrders(read, answer)
          return settle(read, answer, mandate)
        }),
      ],
    ]),
    shows: new Map([
      ['/v1/positions', always(figures.keepPositions)],
      ['/v1/client/margin_modes', always(modes.keepModes)],
      ['/v1/client/leverages', always(modes.keepLeverages)],
    ]),
  }
}

function boundWrite(parts: GateAccess, write: AskedWrite): BoundWrite {
  let used: WriteUse | null = null
  return {
    isReducing: () => isReducing(parts, write),
    use: async () => {
      used = await prepareUse(parts, write)
      return used
    },
    send: async (send, isClaimGivenBack) => {
      if (!used) return send()
      const known = parts.figures.noteOpening(write.accountId)
      try {
        const reply = await send()
        await settleOutcomes(parts, used, write.name, reply)
        known(parts.clock.nowMs())
        return reply
      } catch (error) {
        known(isRefused(error) ? 0 : write.expiresAtMs)
        // Releasing a claim also releases its reservation.
        if (isRefused(error) && !isClaimGivenBack(error)) await releaseUse(parts, used)
        throw error
      }
    },
  }
}

/**
 * The write's use of limits. Refusals are thrown by the commit of the claim, so that a repeat of a claimed write gets
 * its answer instead of a refusal.
 */
async function prepareUse(parts: GateAccess, write: AskedWrite): Promise<WriteUse | null> {
  try {
    if (needsNoMandate(parts, write)) return null
    const mandate = await parts.mandates.of(write.accountId)
    return mandate && (await writeUse(parts, write, mandate))
  } catch (error) {
    if (error instanceof Failure) return refusedUse(write, error)
    throw error
  }
}

/**
 * Stores the outcomes of a write's orders, and releases the use of orders that the venue's answer refuses. Stores order
 * ids only for plain orders, because fills name plain orders. Conditional orders are numbered separately.
 */
async function settleOutcomes(
  parts: GateAccess,
  used: WriteUse,
  name: string,
  reply: Reply,
): Promise<void> {
  const { store, clock } = parts
  const outcomes = orderOutcomes(used.orders, parsedJson(reply.text()))
  if (outcomes.length > 0 && outcomes.every(({ isRefused }) => isRefused))
    return releaseUse(parts, used)
  const orders = name.endsWith(CONDITIONAL) ? [] : outcomes
  await store.spending.settle(used.reservation, clock.nowMs(), orders)
  for (const [at, { isRefused }] of orders.entries()) {
    const id = used.ids[at]
    if (isRefused && id) await store.once.release(id.identity)
  }
}

const CONDITIONAL = ' /v1/algo/order'

async function releaseUse({ store }: GateAccess, { reservation, ids }: ClaimedUse): Promise<void> {
  await store.spending.release(reservation)
  for (const { identity } of ids) await store.once.release(identity)
}

/** Whether the venue has definitely not accepted the write. */
export function isRefused(error: unknown): boolean {
  return error instanceof Failure && error.code !== 'outcome_unknown' && error.code !== 'internal'
}

type Keep = (read: AnsweredRead, answer: string, mandate: Mandate) => unknown

/** Learns only from answers for accounts with a mandate. */
function forMandatedAccounts({ mandates }: GateAccess, keep: Keep): Learn {
  return async (read, answer) => {
    const mandate = await mandates
      .of(read.accountId)
      .catch(defaultOnFailure('gateway', null, Failure))
    if (mandate) await keep(read, answer.text(), mandate)
  }
}

function always(keep: (read: AnsweredRead, answer: string) => void): Learn {
  return async (read, answer) => keep(read, answer.text())
}

function keepDay(parts: GateAccess, name: keyof PeriodRows): Keep {
  const { figures, venueClock, agentLimits } = parts
  return (read, answer, { limits }) => {
    if (needsDayResult(combinedLimits(limits, agentLimits)))
      figures.keepDay(name, read, answer, venueClock.nowMs())
  }
}

/** Lowers the use of limits by ended orders to their fills. The venue's answer shows which orders have ended. */
function settleFills({ store, agentLimits }: GateAccess): Keep {
  return async (_, answer, { accountId, limits }) => {
    if (combinedLimits(limits, agentLimits).maxDailyUsdc === undefined) return
    const fills = endedOrderFills(parsedJson(answer))
    if (fills.length > 0) await store.spending.fill(spendingScope(accountId), fills)
  }
}

/** The outcomes of a write's orders, in the same sequence, from the venue's answer; empty if the answer lacks them. */
function orderOutcomes(orders: readonly OpeningOrder[], answer: unknown): readonly OrderOutcome[] {
  if (!isObject(answer)) return []
  const [only, ...others] = orders
  if (Array.isArray(answer['rows'])) return batchOutcomes(orders, answer['rows'].filter(isObject))
  return only && others.length === 0 ? [orderOutcome(answer)] : []
}

/** The outcomes of a batch. The venue does not guarantee the sequence of its rows, so rows are matched by client order id. */
function batchOutcomes(
  orders: readonly OpeningOrder[],
  rows: readonly Row[],
): readonly OrderOutcome[] {
  const areAllRefused = rows.length >= orders.length && !rows.some(isAcceptedOrder)
  return orders.map(({ clientOrderId }) => {
    if (areAllRefused) return { orderId: null, isRefused: true }
    const [row, ...others] = rows.filter((each) => each['client_order_id'] === clientOrderId)
    const isNamed = clientOrderId !== null && others.length === 0
    return row && isNamed ? orderOutcome(row) : { orderId: null, isRefused: false }
  })
}

function orderOutcome(row: Row): OrderOutcome {
  const isRefused = !isAcceptedOrder(row)
  return { orderId: isRefused ? null : rowOrderId(row), isRefused }
}
