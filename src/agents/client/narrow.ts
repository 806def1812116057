import { MANDATE_PATH } from '../../contract/act-paths.ts'
import {
  AGENT_PUBLIC_READS,
  AGENT_SIGNED_PATHS,
  AGENT_UNSIGNED_POSTS,
  AGENT_WITHDRAWAL_PATHS,
} from '../../contract/agent-paths.ts'
import { FAILURES } from '../../contract/failures.ts'
import { STANDBY_PATH } from '../../contract/standby.ts'
import { ADVANCE_PATH } from '../../contract/venue/advance.ts'
import { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { matchRelay } from '../../upstream/wire/allowlist.ts'
import { type CallToSign, type Client, ClientFailure } from './client.ts'

/** The client of an agent's tools. Calls that move a balance need a wallet's signature and use `consented`. */
export type AgentClient = Client & {
  /** Requests the nonce of a withdrawal, or sends a withdrawal whose body contains a wallet's signature. */
  readonly consented: Client['relay']
}

/**
 * A client that allows only the routes and paths of an agent's tools. Any other call throws ClientFailure forbidden
 * before it is signed.
 */
export function narrowClient(client: Client): AgentClient {
  return {
    consented: async (credentials, call) => {
      if (!isConsentedCall(call)) throw forbidden()
      return client.relay(credentials, call)
    },
    approved: async (credentials, call) => {
      if (!isAgentCall(call) && !isConsentedCall(call)) throw forbidden()
      return client.approved(credentials, call)
    },
    get: async (path, query) => {
      if (!isAgentRead(path)) throw forbidden()
      return client.get(path, query)
    },
    armStandby: client.armStandby,
    listen: client.listen,
    post: async (path, body) => {
      if (!AGENT_UNSIGNED_POSTS.includes(path)) throw forbidden()
      return client.post(path, body)
    },
    relay: async (credentials, call) => {
      if (!isAgentCall(call)) throw forbidden()
      return client.relay(credentials, call)
    },
  }
}

// A path that the URL parser would rewrite, such as one with `..`, leads to another route than its prefix suggests.
function isAgentRead(path: string): boolean {
  const { pathname, search } = new URL(path, 'http://x.invalid')
  return pathname + search === path && AGENT_PUBLIC_READS.some((prefix) => path.startsWith(prefix))
}

function isAgentCall({ method, path }: CallToSign): boolean {
  if (path === STANDBY_PATH) return method === 'GET' || method === 'DELETE'
  if (path === MANDATE_PATH) return method === 'GET'
  if (path === ADVANCE_PATH) return method === 'POST'
  try {
    return AGENT_SIGNED_PATHS[method].includes(matchRelay(method, path).template)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** A wallet's signature: 65 bytes in hex. Only the venue verifies the signer. */
const WALLET_SIGNATURE = /^0x[0-9a-f]{130}$/i

function isConsentedCall({ method, path, body }: CallToSign): boolean {
  if (method === 'GET') return path === AGENT_WITHDRAWAL_PATHS.nonce && body === undefined
  if (method !== 'POST' || path !== AGENT_WITHDRAWAL_PATHS.request || body === undefined)
    return false
  const sent: unknown = JSON.parse(body)
  return isObject(sent) && WALLET_SIGNATURE.test(String(sent['signature']))
}

function forbidden(): ClientFailure {
  const { error, status } = FAILURES.forbidden
  return new ClientFailure({ code: 'forbidden', error, status })
}
