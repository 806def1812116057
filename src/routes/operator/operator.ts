import { Elysia } from 'elysia'
import { bornKey } from '../../gateway/controls/operator-key.ts'
import type { NoticeDeps } from '../../gateway/notices.ts'
import type { ReferralDeps } from '../../gateway/referral/deps.ts'
import { promoteAffiliate } from '../../gateway/referral/promote.ts'
import { admit } from '../../limits/admission.ts'
import { PromotionBody } from '../../spec/referral.ts'
import { readBody } from '../http/body.ts'
import { headerOf } from '../http/header.ts'
import { methodNotAllowed, toResponse } from '../http/responses.ts'
import { assertSameSite, type SiteRules } from '../http/same-site.ts'
import { type Entrance, RAW } from '../verbs.ts'
import { ACT_PATHS, type ActsParts, answerAct } from './acts.ts'
import { NOTICES } from './notices.ts'

type OperatorParts = Omit<Entrance, 'controls'> & {
  readonly deps: Pick<ReferralDeps, 'referral' | 'scrub'> & NoticeDeps
  /** What the operator can look at and do; null without an operator key. */
  readonly acts: ActsParts | null
  readonly site: SiteRules
}

const PROMOTE = '/api/admin/venue/promote'

/** The paths of this family, which are reached by no other spelling. */
export const OPERATOR_PATHS = [PROMOTE, ...NOTICES.keys(), ...ACT_PATHS.keys()]

/** What only the operator may do. Without an operator key there is nothing here. */
export const operator = (parts: OperatorParts) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  const { acts } = parts
  if (acts === null) return plugin
  for (const [path, name] of ACT_PATHS) {
    plugin.all(
      path,
      ({ request }) => {
        assertAdmitted(parts, request)
        return answerAct(acts, request, name)
      },
      RAW,
    )
  }
  for (const [path, tell] of NOTICES) {
    plugin.all(
      path,
      ({ request }) => {
        assertAdmitted(parts, request)
        if (request.method !== 'POST') throw methodNotAllowed('POST')
        bornKey(headerOf(request.headers, 'authorization'), acts.operatorKeys)
        return tell(parts.deps, request)
      },
      RAW,
    )
  }
  return plugin
    .post(
      PROMOTE,
      async ({ request }) => {
        assertAdmitted(parts, request)
        bornKey(headerOf(request.headers, 'authorization'), acts.operatorKeys)
        const body = await readBody(request, PromotionBody)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
      RAW,
    )
    .all(PROMOTE, () => {
      throw methodNotAllowed('POST')
    })
}

// Before the key is looked at, so that a page in somebody's browser or a guesser of keys learns nothing and is counted.
function assertAdmitted({ limiter, callers, site }: OperatorParts, request: Request) {
  assertSameSite(request, site)
  admit(limiter, 'admin', callers.of(request).limitKey)
}
