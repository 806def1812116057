import type { Answer } from '../../cache/answer.ts'
import { invalid } from '../../core/failure.ts'
import { type Query, required } from '../../core/query.ts'
import { ROUTES } from '../../spec/routes.ts'
import type { MarketDeps } from '../market/deps.ts'
import { keptBy, publicReply, throughCache } from '../market/shaped.ts'
import { isLookUpCode } from './code-text.ts'
import { isHeld } from './program.ts'

/** `{code, valid}`: whether somebody holds the code. Throws Failure: invalid_request naming `code`, or the venue's. */
export async function referralVerify(
  deps: Pick<MarketDeps, 'upstream' | 'cache' | 'scrub'>,
  query: Query,
): Promise<Answer> {
  const code = required(query, 'code')
  if (!isLookUpCode(code)) throw invalid('code')
  return throughCache(deps, keptBy(ROUTES.referralVerify, { code }), async () =>
    publicReply(deps, { code, valid: await isHeld(deps, code) }),
  )
}
