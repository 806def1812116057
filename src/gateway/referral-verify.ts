import { invalid } from '../core/failure.ts'
import { type Query, required } from '../core/query.ts'
import { isLookUpCode } from '../core/referral-code.ts'
import type { Lifetime } from '../spec/limits.ts'
import type { Answer } from './answer.ts'
import type { Deps } from './deps.ts'
import { isHeld } from './referral-program.ts'
import { publicReply, throughCache } from './shaped.ts'

/** Five minutes, as the specification says, and no longer: a code that was just created is not denied by a stale no. */
const LIFETIME: Lifetime = {
  freshSeconds: 300,
  staleWhileRevalidateSeconds: 0,
  staleIfErrorSeconds: 3000,
}

/** `{code, valid}`: whether somebody holds the code. Throws Failure: invalid_request naming `code`, or the venue's. */
export async function referralVerify(deps: Deps, query: Query): Promise<Answer> {
  const code = required(query, 'code')
  if (!isLookUpCode(code)) throw invalid('code')
  return throughCache(deps, `route:referral-verify?code=${code}`, LIFETIME, async () =>
    publicReply(deps, { code, valid: await isHeld(deps, code) }),
  )
}
