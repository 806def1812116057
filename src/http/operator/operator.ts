import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { PromotionBody } from '../../contract/referral.ts'
import { COMMAND_NAMES, type CommandName, commandPath } from '../../contract/venue/commands.ts'
import { performVenueCommand, type VenueCommandAccess } from '../../gateway/acts.ts'
import { keyFingerprint } from '../../gateway/controls/controls.ts'
import { promoteAffiliate, type ReferralAccess } from '../../gateway/referral/program.ts'
import { readBody } from '../server/body.ts'
import { type RouteAccess, UNPARSED_BODY } from '../server/endpoints.ts'
import { assertSameSite, type SiteRules } from '../server/origin.ts'
import { toResponse } from '../server/responses.ts'
import { ACT_PATHS, type ActRouteOptions, answerAct, authorize } from './acts.ts'

/** The path that makes an account a first-level affiliate of the embedded venue. */
const PROMOTE = '/api/admin/venue/promote'

/** The operator's paths on the public listener. A path must be spelled exactly so. */
export const OPERATOR_PATHS = [PROMOTE, ...ACT_PATHS.keys(), ...COMMAND_NAMES.map(commandPath)]

export type OperatorRouteOptions = Pick<RouteAccess, 'callers'> & {
  readonly deps: Pick<ReferralAccess, 'referral'> & VenueCommandAccess['deps']
  readonly site: SiteRules
  /** The operator's actions; null without an operator key. */
  readonly acts: ActRouteOptions | null
  readonly runVenueCommand: VenueCommandAccess['runVenueCommand']
}

/** Answers a same-site request of a caller. */
type Answering = (request: Request, limitKey: string) => Promise<Response>

/** The operator's actions and commands to the embedded venue. Without an operator key their routes do not exist. */
export const operator = ({ acts, site, callers, ...parts }: OperatorRouteOptions) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  if (acts === null) return plugin
  const routes: readonly (readonly [path: string, answer: Answering])[] = [
    ...Array.from(ACT_PATHS, ([path, name]): [string, Answering] => [
      path,
      (request, limitKey) => answerAct(acts, request, name, limitKey),
    ]),
    ...COMMAND_NAMES.map((name): [string, Answering] => [
      commandPath(name),
      async (request, limitKey) => {
        const key = await authorize(acts, request, 'POST', limitKey)
        return answerCommand(parts, name, request, key)
      },
    ]),
    [
      PROMOTE,
      async (request, limitKey) => {
        await authorize(acts, request, 'POST', limitKey)
        const body = await readBody(request, PromotionBody, limitKey)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
    ],
  ]
  for (const [path, answer] of routes)
    plugin.all(
      path,
      ({ request }) => {
        assertSameSite(request, site)
        return answer(request, callers.of(request).limitKey)
      },
      UNPARSED_BODY,
    )
  return plugin
}

/** A command's parameters by name. Numbers and booleans are converted to text. */
const CommandBody = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
)

async function answerCommand(
  parts: VenueCommandAccess,
  name: CommandName,
  request: Request,
  key: string,
): Promise<Response> {
  const body = await readBody(request, CommandBody, keyFingerprint(key))
  const texts = Object.entries(body).map(([parameter, value]) => [parameter, String(value)])
  const answer = await performVenueCommand(parts, name, Object.fromEntries(texts), key)
  return toResponse(answer, request.headers)
}
