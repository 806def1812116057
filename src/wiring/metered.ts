import { Failure } from '../core/failure.ts'
import type { Meter } from '../core/observing/meter.ts'
import { Refusal } from '../core/refusal.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'

/** Swaps whose calls are counted by verb and code. */
export function meteredSwap(swap: Swap, meter: Meter): Swap {
  const counted =
    <Asked extends readonly unknown[], Answered>(
      verb: keyof Swap,
      call: (...asked: Asked) => Promise<Answered>,
    ) =>
    (...asked: Asked) =>
      settled(
        () => call(...asked),
        (code) => meter.counter('prepd_swap_calls_total', verb, code).add(),
      )
  return {
    quote: counted('quote', swap.quote),
    tokens: counted('tokens', swap.tokens),
    chains: counted('chains', swap.chains),
    status: counted('status', swap.status),
  }
}

/** Vouchers whose requests are counted by how they ended. */
export function meteredVouchers({ issue, figures }: Vouchers, meter: Meter): Vouchers {
  return {
    figures,
    issue: (body) =>
      settled(
        () => issue(body),
        (code, answer) => {
          const outcome = answer?.status === 202 ? 'pending' : 'issued'
          meter.counter('prepd_vouchers_total', code === 'ok' ? outcome : code).add()
        },
      ),
  }
}

/** Runs a call and tells how it ended, `ok` or the code of its failure; the caller gets what it would have got. */
async function settled<Answered>(
  call: () => Promise<Answered>,
  ended: (code: string, answered: Answered | null) => void,
): Promise<Answered> {
  try {
    const answered = await call()
    ended('ok', answered)
    return answered
  } catch (error) {
    ended(codeOf(error), null)
    throw error
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  return error instanceof Refusal ? error.refusal : 'internal'
}
