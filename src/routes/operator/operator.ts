import { Elysia } from 'elysia'
import { promoteAffiliate, type ReferralDeps } from '../../gateway/referral/program.ts'
import { PromotionBody } from '../../spec/referral.ts'
import { readBody } from '../http/body.ts'
import { methodNotAllowed, toResponse } from '../http/responses.ts'
import { assertSameSite, type SiteRules } from '../http/same-site.ts'
import { type Entrance, RAW } from '../verbs.ts'
import { type ActsParts, answerAct } from './acts.ts'
import { authorize } from './entrance.ts'
import { ACT_PATHS, PROMOTE } from './paths.ts'

type OperatorParts = Omit<Entrance, 'controls'> & {
  readonly deps: Pick<ReferralDeps, 'referral' | 'scrub'>
  /** What the operator can look at and do; null without an operator key. */
  readonly acts: ActsParts | null
  readonly site: SiteRules
}

/** What only the operator may do. Without an operator key there is nothing here. */
export const operator = (parts: OperatorParts) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  const { acts, site, limiter, callers } = parts
  if (acts === null) return plugin
  for (const [path, name] of ACT_PATHS) {
    plugin.all(
      path,
      async ({ request }) => {
        assertSameSite(request, site)
        return answerAct(acts, request, name, callers.of(request).limitKey)
      },
      RAW,
    )
  }
  return plugin
    .post(
      PROMOTE,
      async ({ request }) => {
        assertSameSite(request, site)
        await authorize(limiter, request, acts.operatorKeys(), callers.of(request).limitKey)
        const body = await readBody(request, PromotionBody)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
      RAW,
    )
    .all(PROMOTE, () => {
      throw methodNotAllowed('POST')
    })
}
