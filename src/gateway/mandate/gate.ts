import type { ClaimedUse } from '../../core/claim.ts'
import { Failure } from '../../core/failure.ts'
import { parsedJson } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { type Limits, type Mandate, tightest } from '../../core/mandate.ts'
import { fillsOf } from '../../core/order-fills.ts'
import type { Reply } from '../../scrub/reply.ts'
import type { MandateUse } from '../../spec/mandate.ts'
import { createKeptFigures } from './figures.ts'
import { acceptedOrders } from './order-answer.ts'
import {
  type AskedWrite,
  type GateDeps,
  type GateParts,
  refusedUse,
  scopeOf,
  type WriteUse,
  writeUse,
} from './reserve.ts'
import { usedOf } from './used.ts'

/** Holds writes of accounts within their mandates. */
export type MandateGate = {
  /** A write within the mandate of its account, if that has one. */
  readonly bound: (write: AskedWrite) => BoundWrite
  /** By the path of a read: takes what its answer says of an account with a mandate. */
  readonly learns: ReadonlyMap<string, Learn>
  /** What an account has used of limits, and when that renews, as answers show it. */
  readonly usedOf: (accountId: string, limits: Limits) => Promise<MandateUse>
}

export type BoundWrite = {
  /**
   * What the write uses, for the commit of its claim, which refuses it where the mandate forbids it: mandate_exceeded with
   * the reason, the limit, what was asked and what is left; invalid_request for a body that two parsers may read
   * differently; unauthorized for a key that the venue has not yet accepted. Null where it uses nothing.
   */
  readonly use: () => Promise<ClaimedUse | null>
  /** Sends the claimed write, and gives back what it used when the venue has definitely refused it. */
  readonly send: (
    send: () => Promise<Reply>,
    isClaimGivenBack: (error: unknown) => boolean,
  ) => Promise<Reply>
}

type Learn = (read: AskedRead, answer: Reply) => Promise<void>

/** A read as it was signed. */
type AskedRead = {
  /** Lower case. */
  readonly accountId: string
  /** With its query. */
  readonly path: string
  /** When it was asked, by the wall clock. */
  readonly askedAtMs: number
}

/** The gate of the relay. */
export function createMandateGate(deps: GateDeps): MandateGate {
  const parts = { ...deps, figures: createKeptFigures() }
  return {
    bound: (write) => boundWrite(parts, write),
    usedOf: (accountId, limits) => usedOf(parts, accountId, limits),
    learns: new Map<string, Learn>([
      ['/v1/positions', whereBounded(parts, keepFigures)],
      ['/v1/order/{id}', whereBounded(parts, settleFills)],
      ['/v1/orders', whereBounded(parts, settleFills)],
    ]),
  }
}

function boundWrite(parts: GateParts, write: AskedWrite): BoundWrite {
  let used: WriteUse | null = null
  return {
    use: async () => {
      used = await useOf(parts, write)
      return used
    },
    send: async (send, isClaimGivenBack) => {
      if (!used) return send()
      try {
        const reply = await send()
        await settle(parts, used, write.name, reply)
        return reply
      } catch (error) {
        // With the claim goes what was reserved for it.
        if (isRefused(error) && !isClaimGivenBack(error)) await giveBack(parts, used)
        throw error
      }
    },
  }
}

/** What a write uses. Whatever forbids it is said by the commit of its claim: a repeat of a claimed write is none. */
async function useOf(parts: GateParts, write: AskedWrite): Promise<WriteUse | null> {
  try {
    const mandate = await parts.mandates.of(write.accountId)
    return mandate && (await writeUse(parts, write, mandate))
  } catch (error) {
    if (error instanceof Failure) return refusedUse(write, error)
    throw error
  }
}

/**
 * Notes the venue's ids of the orders, and gives back what it has refused in its answer. Fills are seen under the ids of
 * plain orders alone: a conditional order is numbered on its own.
 */
async function settle(parts: GateParts, used: WriteUse, name: string, reply: Reply): Promise<void> {
  const { store, clock } = parts
  const accepted = acceptedOrders(used.orders, parsedJson(reply.text()))
  if (accepted === 'none') return giveBack(parts, used)
  const ids = name.endsWith(CONDITIONAL) ? [] : accepted
  await store.spending.settle(used.reservation, clock.nowMs(), ids)
}

const CONDITIONAL = ' /v1/algo/order'

async function giveBack({ store }: GateParts, { reservation, ids }: ClaimedUse): Promise<void> {
  await store.spending.release(reservation)
  for (const { identity } of ids) await store.once.release(identity)
}

/** Whether the venue definitely has not taken the write. */
export function isRefused(error: unknown): boolean {
  return error instanceof Failure && error.code !== 'outcome_unknown' && error.code !== 'internal'
}

type LearnBounded = (parts: GateParts, mandate: Mandate, read: AskedRead, answer: Reply) => unknown

/** Without a mandate the answer is a read like any other. */
function whereBounded(parts: GateParts, learn: LearnBounded): Learn {
  return async (read, answer) => {
    const found = parts.mandates.of(read.accountId)
    const mandate = await found.catch(orElse('gateway', null, Failure))
    if (mandate) await learn(parts, mandate, read, answer)
  }
}

const keepFigures: LearnBounded = ({ figures }, { accountId }, { path, askedAtMs }, answer) => {
  // The answer to a query may leave positions out.
  if (!path.includes('?')) figures.keep(accountId, answer.text(), askedAtMs)
}

const settleFills: LearnBounded = async ({ store, agentLimits }, mandate, _, answer) => {
  if (tightest(mandate.limits, agentLimits).maxDailyUsdc === undefined) return
  const fills = fillsOf(parsedJson(answer.text()))
  if (fills.length > 0) await store.spending.fill(scopeOf(mandate.accountId), fills)
}
