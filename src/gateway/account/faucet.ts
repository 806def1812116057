import type { Envelope } from '../../contract/envelope.ts'
import type { Caller } from '../../core/client-address.ts'
import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import { admitSigner, claimAct, notRelayed, type ServiceActAccess } from '../relay/service-act.ts'
import type { Scrub } from '../scrub/scrub.ts'

/** The faucet of the embedded venue. */
export type Faucet = {
  /** The balance up to which an account is filled, in millionths of USDC; 0: accounts get no funds. */
  readonly fullMicros: bigint
  /**
   * Fills an account up and returns the credited amount in millionths of USDC; null for an unknown account. Calls of
   * one account run one after another.
   */
  readonly fill: (accountId: string) => Promise<bigint | null>
}

/** The calls to the embedded venue that read a balance and credit an account. */
type FaucetOptions = Pick<Faucet, 'fullMicros'> & {
  /** The USDC that an account holds, as decimal text; null for an unknown account. */
  readonly holdingOf: (accountId: string) => Promise<string | null>
  readonly credit: (accountId: string, micros: bigint) => Promise<void>
}

export function createFaucet({ fullMicros, holdingOf, credit }: FaucetOptions): Faucet {
  const filling = new Map<string, Promise<bigint | null>>()

  async function fill(accountId: string): Promise<bigint | null> {
    const held = parseDecimal((await holdingOf(accountId)) ?? '', USDC_PLACES)
    if (held === null) return null
    const missing = fullMicros > held ? fullMicros - held : 0n
    if (missing > 0n) await credit(accountId, missing)
    return missing
  }

  return {
    fullMicros,
    fill: async (accountId) => {
      // Waits for earlier calls for the account, because the balance may not yet include their credit.
      for (;;) {
        const earlier = filling.get(accountId)
        if (!earlier) break
        await Promise.allSettled([earlier])
      }
      const filled = fill(accountId).finally(() => filling.delete(accountId))
      filling.set(accountId, filled)
      return filled
    },
  }
}

export type FaucetAccess = ServiceActAccess & {
  readonly scrub: Scrub
  /** Null with a live venue. */
  readonly faucet: Faucet | null
}

const USDC_PLACES = 6

/**
 * Fills the account of the signing key up to the balance of a new account. Answers `{creditedUsdc, fullUsdc}`, decimal
 * texts. Throws Failure:
 * - not_configured if accounts get no funds (always with a live venue), forbidden for a method other than POST.
 * - expired_signature, invalid_signature, unauthorized.
 * - duplicate_request for a call that was used before.
 */
export async function faucetAct(
  deps: FaucetAccess,
  envelope: Envelope,
  caller: Caller,
): Promise<Answer> {
  const { faucet } = deps
  if (!faucet || faucet.fullMicros <= 0n) throw new Failure('not_configured')
  if (envelope.method !== 'POST') throw notRelayed('POST')
  if (envelope.body) throw invalidParameter('body', 'conflicting')
  const { accountId } = await admitSigner(deps, envelope, caller)
  await claimAct(deps, envelope)
  const credited = await faucet.fill(accountId)
  if (credited === null) throw new Failure('not_found')
  const usdc = (micros: bigint) => formatDecimal(micros, USDC_PLACES)
  const answer = { creditedUsdc: usdc(credited), fullUsdc: usdc(faucet.fullMicros) }
  return privateAnswer(deps, answer)
}
