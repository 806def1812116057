import { type Answer, fresh } from '../../cache/answer.ts'
import { Failure } from '../../core/failure.ts'
import type { ReferralDeps } from './deps.ts'

/**
 * Makes an account of the embedded venue a first-level affiliate, who can then be given a code: `{promoted: true}`, or
 * `{promoted: false}` when it is one already. Operator only. Throws Failure: not_found for an account that does not
 * exist, and on a live venue, whose operator promotes at the venue itself.
 */
export async function promoteAffiliate(
  { referral, scrub }: Pick<ReferralDeps, 'referral' | 'scrub'>,
  body: { readonly accountId: string },
): Promise<Answer> {
  const result = (await referral.promote?.(body.accountId.toLowerCase())) ?? 'no_account'
  if (result === 'no_account') throw new Failure('not_found')
  return fresh(scrub.value({ promoted: result === 'promoted' }, { audience: 'private' }))
}
