import { APPROVAL_PAGE } from '../contract/approval.ts'
import { ROUTES } from '../contract/routes.ts'
import { isObject, parsedJson } from '../core/json.ts'
import { crashFields } from '../core/log.ts'
import type { Log } from '../core/ports.ts'
import type { Front } from '../http/server/front.ts'
import { type Listener, listen } from '../http/server/server.ts'

/** The page on which the owner approves the writes of an agent. Used if the service runs in the agent's process. */
export type ApprovalPage = {
  /** Rewrites an answer's approval link to the page, and starts to serve the page with the first such link. */
  readonly linked: (response: Response) => Promise<Response>
  readonly close: () => Promise<void>
}

const ADDRESS = '127.0.0.1'

/** Requests of the approval page. All other requests are refused. */
const SERVED: ReadonlySet<string> = new Set([
  `GET ${ROUTES.approval.path}`,
  `POST ${ROUTES.typedData.path}`,
  `POST ${ROUTES.decideApproval.path}`,
])

/** Serves the page on a separate loopback port. */
export function createApprovalPage(front: Front, log: Log): ApprovalPage {
  let listener: Listener | null = null

  const served: Front = (request, peer) => {
    const { pathname, host } = new URL(request.url)
    const isPage = request.method === 'GET' && pathname.startsWith(APPROVAL_PAGE)
    const isOwn = host === `${ADDRESS}:${listener?.port}`
    if (isOwn && (isPage || SERVED.has(`${request.method} ${pathname}`)))
      return front(request, peer)
    return new Response(null, { status: 404 })
  }

  function opened(): Listener {
    const onCrash = (error: unknown) => log.error('crash', crashFields(error))
    listener ??= listen({ hostname: ADDRESS, port: 0 }, served, { onCrash })
    return listener
  }

  return {
    linked: async (response) => {
      if (response.status !== FORBIDDEN) return response
      const text = await response.text()
      const { status, headers } = response
      return new Response(
        linkedText(text, () => opened().port),
        { status, headers },
      )
    },
    close: async () => listener?.stop(),
  }
}

const FORBIDDEN = 403

function linkedText(text: string, port: () => number): string {
  const failure = parsedJson(text)
  const meta = isObject(failure) ? failure['meta'] : null
  if (!isObject(meta) || typeof meta['link'] !== 'string') return text
  const { pathname } = new URL(meta['link'])
  const link = `http://${ADDRESS}:${port()}${pathname}`
  return JSON.stringify({ ...Object(failure), meta: { ...meta, link } })
}
