import type { Static, TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Answer } from '../cache/answer.ts'
import { announce, maintain, type NoticeDeps, retract } from '../gateway/notices.ts'
import {
  AnnouncementBody,
  MaintenanceBody,
  NOTICE_PATHS,
  RetractionBody,
} from '../spec/venue/notices.ts'
import { readBody } from './http/body.ts'
import { methodNotAllowed, toResponse } from './http/responses.ts'
import { assertAdmitted, type OperatorEntrance } from './operator.ts'
import { RAW } from './verbs.ts'

type NoticeParts = OperatorEntrance & {
  readonly deps: NoticeDeps
  readonly operatorKey: string | null
}

type Act = (deps: NoticeDeps, request: Request) => Promise<Answer>

/** What the operator lets the embedded venue tell everybody. */
const ROWS: readonly { readonly path: string; readonly act: Act }[] = [
  { path: NOTICE_PATHS.announce, act: withBody(AnnouncementBody, announce) },
  { path: NOTICE_PATHS.retract, act: withBody(RetractionBody, retract) },
  { path: NOTICE_PATHS.maintenance, act: withBody(MaintenanceBody, maintain) },
]

/** The operator's notices. Without an operator key there is nothing here. */
export const notices = (parts: NoticeParts) => {
  const plugin = new Elysia({ name: 'routes.notices' })
  const { operatorKey } = parts
  if (operatorKey === null) return plugin
  for (const { path, act } of ROWS)
    plugin
      .post(
        path,
        async ({ request }) => {
          assertAdmitted(parts, request, operatorKey)
          return toResponse(await act(parts.deps, request), request.headers)
        },
        RAW,
      )
      .all(path, () => {
        throw methodNotAllowed('POST')
      })
  return plugin
}

function withBody<Schema extends TSchema>(
  schema: Schema,
  act: (deps: NoticeDeps, body: Static<Schema>) => Promise<Answer>,
): Act {
  return async (deps, request) => act(deps, await readBody(request, schema))
}
