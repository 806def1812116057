import type { Static, TSchema } from '@sinclair/typebox'
import type { Answer } from '../../cache/answer.ts'
import { announce, maintain, type NoticeDeps, retract } from '../../gateway/notices.ts'
import {
  AnnouncementBody,
  MaintenanceBody,
  NOTICE_PATHS,
  RetractionBody,
} from '../../spec/venue/notices.ts'
import { readBody } from '../http/body.ts'
import { toResponse } from '../http/responses.ts'

type Tell = (deps: NoticeDeps, request: Request) => Promise<Response>

/** What the operator lets the embedded venue tell everybody, by path. */
export const NOTICES: ReadonlyMap<string, Tell> = new Map([
  [NOTICE_PATHS.announce, withBody(AnnouncementBody, announce)],
  [NOTICE_PATHS.retract, withBody(RetractionBody, retract)],
  [NOTICE_PATHS.maintenance, withBody(MaintenanceBody, maintain)],
])

function withBody<Schema extends TSchema>(
  schema: Schema,
  act: (deps: NoticeDeps, body: Static<Schema>) => Promise<Answer>,
): Tell {
  return async (deps, request) => {
    const body = await readBody(request, schema)
    return toResponse(await act(deps, body), request.headers)
  }
}
