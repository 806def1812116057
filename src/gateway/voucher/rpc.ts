import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { type FetchSession, openFetchSession } from '../../upstream/fetch-session.ts'
import { readText } from '../../upstream/http-body.ts'

/** Calls one endpoint. Throws only EndpointError. */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
) => Promise<unknown>

/** An endpoint without a usable answer. The error contains neither its URL nor its text. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly fault: 'unreachable' | 'malformed'
  constructor(fault: 'unreachable' | 'malformed', options?: ErrorOptions) {
    super(`endpoint ${fault}`, options)
    this.fault = fault
  }
}

/**
 * Seconds for which an idle connection is kept. The calls of a lookup follow within this time; the next lookup may be
 * hours later.
 */
const IDLE_SECONDS = 2
const ID = 1

/** A JSON-RPC 2.0 client for one HTTP endpoint. It follows no redirects and bounds the size of answers. */
export function createRpc(url: URL): Rpc {
  const session = openFetchSession(url, { keepAlive: { idleTimeout: IDLE_SECONDS } })
  return async (method, params, signal) => {
    const text = await exchange(session, url, { method, params, signal })
    return parseResult(text)
  }
}

type Call = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly signal: AbortSignal
}

async function exchange(session: FetchSession, url: URL, call: Call): Promise<string> {
  const { method, params, signal } = call
  try {
    const response = await session.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'prepd',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }),
      redirect: 'manual',
      decompress: false,
      signal,
    })
    if (response.ok)
      return await readText(response, { maxBytes: VOUCHER_LIMITS.endpointAnswerMaxBytes })
    await response.body?.cancel()
  } catch (cause) {
    throw new EndpointError('unreachable', { cause })
  }
  throw new EndpointError('unreachable')
}

/** Parses the result of an answer. Throws EndpointError for an error answer. */
function parseResult(text: string): unknown {
  const answer = parsedJson(text)
  if (!isObject(answer) || answer['id'] !== ID || !Object.hasOwn(answer, 'result')) {
    throw new EndpointError('malformed')
  }
  return answer['result']
}
