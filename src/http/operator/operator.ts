import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { PromotionBody } from '../../contract/referral.ts'
import { COMMAND_NAMES, type CommandName, commandPath } from '../../contract/venue/commands.ts'
import { Failure } from '../../core/failure.ts'
import { fresh } from '../../gateway/cache/answer.ts'
import { keyFingerprint } from '../../gateway/controls/controls.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { promoteAffiliate, type ReferralAccess } from '../../gateway/referral/program.ts'
import { readBody } from '../server/body.ts'
import { type Entrance, RAW } from '../server/endpoints.ts'
import { assertSameSite, type SiteRules } from '../server/origin.ts'
import { methodNotAllowed, toResponse } from '../server/responses.ts'
import { type ActRouteOptions, answerAct, authorize } from './acts.ts'
import { ACT_PATHS, PROMOTE } from './paths.ts'

type OperatorRouteOptions = Omit<Entrance, 'controls'> & {
  readonly deps: Pick<ReferralAccess, 'referral' | 'scrub'>
  /** The operator's actions; null without an operator key. */
  readonly acts: ActRouteOptions | null
  readonly site: SiteRules
}

/** The operator's routes. Without an operator key they do not exist. */
export const operator = (parts: OperatorRouteOptions) => {
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
        const { limitKey } = callers.of(request)
        await authorize(limiter, request, acts.operatorKeys(), limitKey)
        const body = await readBody(request, PromotionBody, limitKey)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
      RAW,
    )
    .all(PROMOTE, () => {
      throw methodNotAllowed('POST')
    })
}

export type CommandRouteOptions = Omit<Entrance, 'controls'> & {
  readonly deps: Pick<Gateway, 'scrub' | 'cache' | 'clock' | 'controls'>
  readonly site: SiteRules
  /** Null without an operator key. */
  readonly acts: ActRouteOptions | null
  /** Runs a command of the embedded venue; null on a live venue, and for an unknown command. */
  readonly runVenueCommand:
    | ((name: string, texts: Readonly<Record<string, string>>) => Promise<object | null>)
    | null
}

/** A command's parameters by name. Numbers and booleans become text. */
const CommandBody = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
)

/** Commands that invalidate cached answers: they replace the venue's world or change its answers. */
const OUTDATING: ReadonlySet<CommandName> = new Set([
  'restore',
  'reset',
  'announce',
  'retract',
  'maintenance on',
  'maintenance off',
])

/** The operator's commands to the embedded venue. Without an operator key they do not exist. */
export const venueCommands = (parts: CommandRouteOptions) => {
  const plugin = new Elysia({ name: 'routes.venue-commands' })
  const { acts, site, limiter, callers } = parts
  if (acts === null) return plugin
  for (const name of COMMAND_NAMES) {
    plugin
      .post(
        commandPath(name),
        async ({ request }) => {
          assertSameSite(request, site)
          const { limitKey } = callers.of(request)
          const key = await authorize(limiter, request, acts.operatorKeys(), limitKey)
          return runCommand(parts, name, request, keyFingerprint(key))
        },
        RAW,
      )
      .all(commandPath(name), () => {
        throw methodNotAllowed('POST')
      })
  }
  return plugin
}

/** Runs a command and records it in the audit log. */
async function runCommand(
  { deps, runVenueCommand }: CommandRouteOptions,
  name: CommandName,
  request: Request,
  fingerprint: string,
): Promise<Response> {
  const body = await readBody(request, CommandBody, fingerprint)
  const texts = Object.entries(body).map(([parameter, value]) => [parameter, String(value)])
  const fields: Readonly<Record<string, string>> = Object.fromEntries(texts)
  const result = await runVenueCommand?.(name, fields)
  if (!result) throw new Failure('not_found')
  if (OUTDATING.has(name)) await deps.cache.purge()
  const act = commandPath(name).replace('/api/admin/', '')
  await deps.controls.commit({ atMs: deps.clock.nowMs(), act, fields, fingerprint }, [])
  const reply = deps.scrub.value(result, { audience: 'private' })
  return toResponse(fresh(reply), request.headers)
}
