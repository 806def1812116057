import { Failure } from '../../core/failure.ts'
import { ACTS_ROOT } from '../../spec/operator/acts.ts'
import { failureResponse } from '../http/responses.ts'
import { assertOwnOrigin } from '../http/same-site.ts'
import { type ActsParts, actAt, answerAct } from './acts.ts'
import { actsDocument } from './document.ts'
import { ACTS_DOCUMENT } from './paths.ts'

/** Whether a path of the operator's listener is an act, or the document of them. */
export function isActPath(path: string): boolean {
  return path.startsWith(ACTS_ROOT)
}

/** The acts on the operator's listener, and `openapi.json`, which describes them and needs no key. */
export async function answerOpsAct(
  parts: ActsParts | null,
  request: Request,
  path: string,
): Promise<Response> {
  try {
    if (path === ACTS_DOCUMENT) return Response.json(actsDocument())
    if (!parts) throw new Failure('not_found')
    const name = actAt(path)
    assertOwnOrigin(request)
    // One window for all: whoever reaches this listener is on the operator's side of it, or guesses.
    return await answerAct(parts, request, name, 'operator')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return failureResponse(error)
  }
}
