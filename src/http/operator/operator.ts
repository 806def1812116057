import { Elysia } from 'elysia'
import { PromotionBody } from '../../contract/referral.ts'
import { promoteAffiliate, type ReferralAccess } from '../../gateway/referral/program.ts'
import { readBody } from '../server/body.ts'
import { type RouteAccess, UNPARSED_BODY } from '../server/endpoints.ts'
import { assertSameSite, type SiteRules } from '../server/origin.ts'
import { toResponse } from '../server/responses.ts'
import { type ActRouteOptions, answerCommand, COMMAND_ROUTES } from './acts.ts'
import { authorize } from './key-check.ts'

/** The path that makes an account a first-level affiliate of the embedded venue. */
const PROMOTE = '/api/admin/venue/promote'

/** The operator's paths on the public listener. A path must be spelled exactly so. */
export const OPERATOR_PATHS = [PROMOTE, ...COMMAND_ROUTES.keys()]

export type OperatorRouteOptions = Pick<RouteAccess, 'callers'> & {
  readonly deps: Pick<ReferralAccess, 'referral' | 'scrub'>
  readonly site: SiteRules
  /** The operator's commands; null without an operator key. */
  readonly acts: ActRouteOptions | null
}

/** The operator's commands. Without an operator key their routes do not exist. */
export const operator = ({ acts, site, callers, deps }: OperatorRouteOptions) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  if (acts === null) return plugin

  const promote = async (request: Request, limitKey: string): Promise<Response> => {
    await authorize(acts, request, 'POST', limitKey)
    const body = await readBody(request, PromotionBody, limitKey)
    return toResponse(await promoteAffiliate(deps, body), request.headers)
  }

  for (const path of OPERATOR_PATHS) {
    const command = COMMAND_ROUTES.get(path)
    plugin.all(
      path,
      ({ request }) => {
        assertSameSite(request, site)
        const { limitKey } = callers.of(request)
        return command
          ? answerCommand(acts, request, command, limitKey)
          : promote(request, limitKey)
      },
      UNPARSED_BODY,
    )
  }
  return plugin
}
