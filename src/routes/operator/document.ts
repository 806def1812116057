import { BUILD } from '../../core/build-facts.ts'
import { ACTS, ACTS_ROOT, type Act, type ActParameter } from '../../spec/operator/acts.ts'

/** The OpenAPI 3.1 document of the operator's acts, from their table. */
export function actsDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'prepd: operator',
      version: BUILD.version,
      description:
        'What the operator can look at and do while prepd runs. Every act needs `Authorization: Bearer` and the operator key, and what is done is written into the audit.',
    },
    components: { securitySchemes: { operatorKey: { type: 'http', scheme: 'bearer' } } },
    security: [{ operatorKey: [] }],
    paths: Object.fromEntries(
      Object.entries<Act>(ACTS).map(([name, row]) => [
        `${ACTS_ROOT}${row.path}`,
        { [row.method.toLowerCase()]: operationOf(name, row) },
      ]),
    ),
  }
}

function operationOf(name: string, { method, summary, parameters }: Act): object {
  const rows = Object.entries(parameters)
  return {
    operationId: name,
    summary,
    ...(method === 'GET'
      ? { parameters: rows.map(([key, row]) => parameterOf(key, row)) }
      : { requestBody: bodyOf(rows) }),
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      default: {
        description: 'A failure: `{code, error, meta?}`. Nothing has changed.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  }
}

function parameterOf(name: string, row: ActParameter): object {
  return {
    name,
    in: 'query',
    required: !row.optional,
    description: row.meaning,
    schema: schemaOf(row),
    example: row.example,
  }
}

function bodyOf(rows: readonly (readonly [string, ActParameter])[]): object {
  return {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: rows.filter(([, row]) => !row.optional).map(([name]) => name),
          properties: Object.fromEntries(
            rows.map(([name, row]) => [name, { ...schemaOf(row), description: row.meaning }]),
          ),
        },
        example: Object.fromEntries(rows.map(([name, row]) => [name, row.example])),
      },
    },
  }
}

function schemaOf({ pattern }: ActParameter): object {
  return { type: 'string', pattern: pattern.source }
}
