import { Type } from '@sinclair/typebox'
import {
  ACTS_ROOT,
  type Act,
  type ActParameter,
  OPERATOR_COMMANDS,
  type OperatorCommand,
} from '../../contract/operator/acts.ts'
import { PROCESS_HEADER } from '../../contract/operator/process.ts'
import { BUILD_FACTS } from '../../core/build-facts.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { type ActAccess, type CommandFields, performCommand } from '../../gateway/acts.ts'
import { privateAnswer } from '../../gateway/cache/answer.ts'
import { readBody } from '../server/body.ts'
import { assertOwnOrigin } from '../server/origin.ts'
import { requestTarget } from '../server/request.ts'
import { failureResponse, toResponse } from '../server/responses.ts'
import { authorize } from './key-check.ts'

/** The path of the OpenAPI document of the actions on the operator's listener. */
const ACTS_DOCUMENT = `${ACTS_ROOT}openapi.json`

/** The commands of both listeners by path; the venue's commands are on the public listener alone. */
export const COMMAND_ROUTES: ReadonlyMap<string, OperatorCommand> = new Map(
  OPERATOR_COMMANDS.map((command) => [command.path, command]),
)

const ACT_ROWS = OPERATOR_COMMANDS.filter((command) => command.on === 'prepd')

/** The paths on the operator's listener. */
export const OPS_PATHS = [...ACT_ROWS.map(({ path }) => path), ACTS_DOCUMENT]

export type ActRouteOptions = ActAccess & {
  /** Called for each request, so that the keys can change. */
  readonly operatorKeys: () => readonly string[]
  readonly process: { readonly id: number; readonly records: string }
}

/**
 * Performs one command of the operator. The request must come from this site. Checks the method, then the key, then
 * each parameter. If it throws Failure, no setting has changed.
 */
export async function answerCommand(
  parts: ActRouteOptions,
  request: Request,
  command: OperatorCommand,
  limitKey: string,
): Promise<Response> {
  const key = await authorize(parts, request, command.method, limitKey)
  const given =
    command.method === 'GET' ? readQuery(request) : await readFields(request, command, limitKey)
  // The venue checks the parameters of its commands.
  const fields = command.on === 'venue' ? given : parseActFields(command, given)
  const answer = await performCommand(parts, command, fields, key)
  if (command.on === 'venue') return toResponse(privateAnswer(parts.deps, answer), request.headers)
  return new Response(JSON.stringify(answer), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      [PROCESS_HEADER]: processText(parts.process),
    },
  })
}

function processText({ id, records }: ActRouteOptions['process']): string {
  return new URLSearchParams({ id: String(id), records }).toString()
}

const ActFields = Type.Record(Type.String(), Type.String())
/** Numbers and booleans are converted to text. */
const VenueFields = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
)
const ACT_BODY_MAX_BYTES = 4096

async function readFields(
  request: Request,
  { on }: OperatorCommand,
  limitKey: string,
): Promise<CommandFields> {
  if (on === 'prepd') return readBody(request, ActFields, limitKey, ACT_BODY_MAX_BYTES)
  const body = await readBody(request, VenueFields, limitKey)
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
}

function readQuery(request: Request): CommandFields {
  const [, search = ''] = requestTarget(request.url).split('?')
  const query = new URLSearchParams(search)
  for (const name of query.keys()) if (query.getAll(name).length > 1) throw invalidParameter(name)
  return Object.fromEntries(query)
}

/** The action's parameters. Throws invalid_request for an unknown, missing or malformed parameter. */
function parseActFields(
  { parameters }: Pick<Act, 'parameters'>,
  given: CommandFields,
): CommandFields {
  const stray = Object.keys(given).find((name) => !Object.hasOwn(parameters, name))
  if (stray !== undefined) throw invalidParameter(stray, 'unknown_argument')
  const fields: Record<string, string> = {}
  for (const [name, { pattern, optional, expects }] of Object.entries(parameters)) {
    const text = given[name]
    if (text === undefined && optional) continue
    if (text === undefined) throw invalidParameter(name, 'missing', { expected: expects })
    if (!pattern.test(text)) throw invalidParameter(name, 'malformed', { expected: expects })
    fields[name] = text
  }
  return fields
}

const UNKNOWN_ROUTE = { reason: 'unknown_route' } as const

/** Whether a path of the operator's listener names an action or the actions' OpenAPI document. */
export function isActPath(path: string): boolean {
  return path.startsWith(ACTS_ROOT)
}

/** Answers the operator's actions, and `openapi.json`, which describes the actions and needs no key. */
export async function answerOpsAct(
  parts: ActRouteOptions | null,
  request: Request,
  path: string,
): Promise<Response> {
  try {
    if (path === ACTS_DOCUMENT) return Response.json(actsDocument())
    // Without an operator key the actions do not exist.
    if (!parts) throw new Failure('not_found', UNKNOWN_ROUTE)
    const command = COMMAND_ROUTES.get(path)
    if (command?.on !== 'prepd') throw new Failure('not_found', UNKNOWN_ROUTE)
    assertOwnOrigin(request)
    // One window for all callers: a caller of this listener is either an operator or guesses keys.
    return await answerCommand(parts, request, command, 'operator')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return failureResponse(error)
  }
}

/** The OpenAPI 3.1 document of the operator's actions, generated from the table of actions. */
function actsDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'prepd: operator',
      version: BUILD_FACTS.version,
      description:
        'The operator’s views and acts while prepd runs. Every act needs `Authorization: Bearer` and the operator key, and is written into the audit.',
    },
    components: { securitySchemes: { operatorKey: { type: 'http', scheme: 'bearer' } } },
    security: [{ operatorKey: [] }],
    paths: Object.fromEntries(
      ACT_ROWS.map((row) => [row.path, { [row.method.toLowerCase()]: actOperation(row) }]),
    ),
  }
}

function actOperation({ name, method, summary, parameters }: (typeof ACT_ROWS)[number]): object {
  const rows = Object.entries(parameters)
  return {
    operationId: name,
    summary,
    ...(method === 'GET'
      ? { parameters: rows.map(([key, row]) => queryParameter(key, row)) }
      : { requestBody: actRequestBody(rows) }),
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      default: {
        description: 'A failure: `{code, error, meta?}`. No setting has changed.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  }
}

function queryParameter(name: string, row: ActParameter): object {
  return {
    name,
    in: 'query',
    required: !row.optional,
    description: row.meaning,
    schema: parameterSchema(row),
    example: row.example,
  }
}

function actRequestBody(rows: readonly (readonly [string, ActParameter])[]): object {
  return {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: rows.filter(([, row]) => !row.optional).map(([name]) => name),
          properties: Object.fromEntries(
            rows.map(([name, row]) => [
              name,
              { ...parameterSchema(row), description: row.meaning },
            ]),
          ),
        },
        example: Object.fromEntries(rows.map(([name, row]) => [name, row.example])),
      },
    },
  }
}

function parameterSchema({ pattern }: ActParameter): object {
  return { type: 'string', pattern: pattern.source }
}
