import { Failure } from '../../core/failure.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Reply } from '../../scrub/reply.ts'
import { createKeptFigures } from './figures.ts'
import type { Mandates } from './mandates.ts'
import { type BoundedWrite, type GateDeps, type GateParts, giveBack, reserved } from './reserve.ts'

/** Holds writes of accounts within their mandates. */
export type MandateGate = Pick<Mandates, 'of'> & {
  /**
   * Sends a write within the mandate of its account: reserves its worst case before it goes, and gives that back when the
   * venue has definitely refused it. Throws HeldBack before anything is sent: mandate_exceeded with the reason, the
   * limit, what was asked and what is left; invalid_request for a body that two parsers may read differently;
   * unauthorized for a key that the venue has not yet accepted.
   */
  readonly send: (write: BoundedWrite, send: () => Promise<Reply>) => Promise<Reply>
  /** Keeps the figures of an answer to GET /v1/positions that was asked for at a wall time, where the account has a mandate. */
  readonly keep: (accountId: string, answer: Reply, askedAtMs: number) => Promise<void>
}

/** The gate of the relay. */
export function createMandateGate(deps: GateDeps): MandateGate {
  const figures = createKeptFigures()
  const parts = { ...deps, figures }
  // Nothing was sent where the mandate could not be read: the write is free to be sent again.
  const of: MandateGate['of'] = (accountId) => deps.mandates.of(accountId).catch(heldBack)
  return {
    of,
    send: (write, send) => sendWithin(parts, write, send),
    keep: async (accountId, answer, askedAtMs) => {
      // Without the mandate the answer is a read like any other.
      const mandate = await of(accountId).catch(orElse('gateway', null, Failure))
      if (mandate) figures.keep(accountId, answer.text(), askedAtMs)
    },
  }
}

/** The refusal of a write that was not sent. */
export class HeldBack extends Failure {
  constructor({ code, meta }: Failure) {
    super(code, meta)
  }
}

async function sendWithin(
  deps: GateParts,
  write: BoundedWrite,
  send: () => Promise<Reply>,
): Promise<Reply> {
  const held = await reserved(deps, write).catch(heldBack)
  if (!held) return send()
  try {
    const reply = await send()
    await deps.store.spending.settle(held.write, deps.clock.nowMs())
    return reply
  } catch (error) {
    if (isRefused(error)) await giveBack(deps, held)
    throw error
  }
}

function heldBack(error: unknown): never {
  throw error instanceof Failure ? new HeldBack(error) : error
}

/** Whether the venue definitely has not taken the write. */
function isRefused(error: unknown): boolean {
  return error instanceof Failure && error.code !== 'outcome_unknown' && error.code !== 'internal'
}
