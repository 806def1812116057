import type { CodeRefusal, RateRefusal } from '../../spec/referral.ts'
import type { VenueKey } from '../operator.ts'
import { createTurns, type Turns } from './turns.ts'

export type CodeOutcome =
  | { readonly created: true; readonly code: string; readonly maxRebateRate: number }
  | { readonly created: false; readonly reason: CodeRefusal }

/** A claim that ended: which code it was for, and how. */
export type CodeClaim = { readonly code: string; readonly outcome: CodeOutcome }

export type RateOutcome =
  | { readonly updated: true; readonly rate: number }
  /** `rate` is the one that stays, with `already_set`. */
  | { readonly updated: false; readonly reason: RateRefusal; readonly rate?: number }

/** Makes an account a first-level affiliate, where the venue is our own. */
export type Promote = (accountId: string) => Promise<'promoted' | 'already' | 'no_account'>

/** What the referral verbs work with: the operator's key, the rate it gives, and who is being served. */
export type ReferralDesk = {
  /** Null when the operator has bound no key: nothing is then sent. */
  readonly key: VenueKey | null
  /** 0 to 1. */
  readonly rate: number
  /** Null on a live venue, whose operator promotes at the venue itself. */
  readonly promote: Promote | null
  readonly codes: Turns<CodeClaim>
  readonly rates: Turns<RateOutcome>
}

/** The desk, with nobody at it yet. */
export function openReferralDesk(
  parts: Pick<ReferralDesk, 'key' | 'rate' | 'promote'>,
): ReferralDesk {
  return { ...parts, codes: createTurns(), rates: createTurns() }
}
