import { Elysia } from 'elysia'
import { bornKey } from '../../gateway/controls/operator-key.ts'
import type { ReferralDeps } from '../../gateway/referral/deps.ts'
import { promoteAffiliate } from '../../gateway/referral/promote.ts'
import { PromotionBody } from '../../spec/referral.ts'
import { readBody } from '../http/body.ts'
import { headerOf } from '../http/header.ts'
import { methodNotAllowed, toResponse } from '../http/responses.ts'
import type { SiteRules } from '../http/same-site.ts'
import { type Entrance, RAW } from '../verbs.ts'
import { type ActsParts, answerAct } from './acts.ts'
import { assertAdmitted } from './entrance.ts'
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
  const { acts } = parts
  if (acts === null) return plugin
  for (const [path, name] of ACT_PATHS) {
    plugin.all(
      path,
      async ({ request }) => {
        await assertAdmitted(parts, request)
        return answerAct(acts, request, name)
      },
      RAW,
    )
  }
  return plugin
    .post(
      PROMOTE,
      async ({ request }) => {
        await assertAdmitted(parts, request)
        bornKey(headerOf(request.headers, 'authorization'), acts.operatorKeys())
        const body = await readBody(request, PromotionBody)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
      RAW,
    )
    .all(PROMOTE, () => {
      throw methodNotAllowed('POST')
    })
}
