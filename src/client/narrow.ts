import { Failure } from '../core/failure.ts'
import { AGENT_PATHS, AGENT_POSTS, AGENT_READS } from '../spec/agent-paths.ts'
import { FAILURES } from '../spec/failures.ts'
import { matchRelay } from '../wire/allowlist.ts'
import { type Client, ClientFailure, type SignedCall } from './client.ts'

/**
 * A client that reaches only what an agent's tools need, whatever a tool asks of it: a secret could sign anything,
 * so what must not be signed never gets that far. Refuses with ClientFailure forbidden, and then sends nothing.
 */
export function narrowClient(client: Client): Client {
  return {
    get: async (path, query) => {
      if (!isAgentRead(path)) throw forbidden()
      return client.get(path, query)
    },
    listen: client.listen,
    post: async (path, body) => {
      if (!AGENT_POSTS.includes(path)) throw forbidden()
      return client.post(path, body)
    },
    relay: async (credentials, call) => {
      if (!isAgentCall(call)) throw forbidden()
      return client.relay(credentials, call)
    },
  }
}

// A path that the URL parser would rewrite, such as one with `..`, is not the path it seems to be.
function isAgentRead(path: string): boolean {
  const { pathname, search } = new URL(path, 'http://x.invalid')
  return pathname + search === path && AGENT_READS.some((prefix) => path.startsWith(prefix))
}

function isAgentCall({ method, path }: SignedCall): boolean {
  try {
    return AGENT_PATHS[method].includes(matchRelay(method, path).template)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

function forbidden(): ClientFailure {
  const { error, status } = FAILURES.forbidden
  return new ClientFailure({ code: 'forbidden', error, status })
}
