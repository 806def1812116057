import type { AnswerAgent } from '../../agents/protocol/agent.ts'
import { RPC_CODES, RpcError } from '../../agents/protocol/json-rpc.ts'
import { errorReply, type ProtocolReply } from '../../agents/protocol/protocol.ts'
import { ROUTES } from '../../contract/routes.ts'
import { Failure } from '../../core/failure.ts'
import { crashFields } from '../../core/log.ts'
import type { Log } from '../../core/ports.ts'
import { matchingKey } from '../../gateway/controls/controls.ts'
import type { AgentListener, AgentListenerTerms } from '../../operator/command/command.ts'
import type { Front } from '../server/front.ts'
import { requestHeader, requestTarget } from '../server/request.ts'
import { methodNotAllowed } from '../server/responses.ts'
import { listen } from '../server/server.ts'
import { readRpcMessage, respondToMessage } from './agent.ts'

const HOSTNAME = '127.0.0.1'

/**
 * Serves MCP to one agent on a local port, for requests that carry its token: one message in, one answer out. DELETE
 * ends the session. Throws the system's error if the port is in use.
 */
export function listenAgent(
  answer: AnswerAgent,
  { port, token, asked, ended }: AgentListenerTerms,
  log: Log,
): AgentListener {
  const calls = new Set<Promise<ProtocolReply>>()
  const closing = new AbortController()
  const closed = Promise.withResolvers<void>()
  let refusal = ''

  const refused = (message: unknown) =>
    errorReply(message, new RpcError(RPC_CODES.invalidRequest, refusal, { status: 200 }))

  async function answered(message: unknown, { headers, signal }: Request): Promise<ProtocolReply> {
    const reported = asked(JSON.stringify(message))
    if (reported === null) {
      await closed.promise
      return refused(message)
    }
    const call = { cancelled: signal, inputEnded: closing.signal, progress: null }
    const reply = await answer(message, call, (name) => requestHeader(headers, name))
    reported(reply.body === null ? '' : JSON.stringify(reply.body))
    return reply
  }

  async function replyTo(request: Request): Promise<ProtocolReply> {
    if (requestTarget(request.url) !== ROUTES.agent.path) throw new Failure('not_found')
    if (matchingKey(requestHeader(request.headers, 'authorization'), [token]) === null)
      throw new Failure('unauthorized')
    if (request.method === 'DELETE') {
      ended()
      return { status: 204, body: null }
    }
    if (request.method !== 'POST') throw methodNotAllowed('POST, DELETE')
    const message = await readRpcMessage(request, 'agent')
    if (message instanceof RpcError) return errorReply(null, message)
    if (closing.signal.aborted) return refused(message)
    const call = answered(message, request)
    calls.add(call)
    return call.finally(() => calls.delete(call))
  }

  const front: Front = (request) => respondToMessage(() => replyTo(request))
  const onCrash = (error: unknown) => log.error('crash', crashFields(error))
  const listener = listen({ hostname: HOSTNAME, port }, front, { onCrash })
  return {
    url: `${listener.url}${ROUTES.agent.path}`,
    close: async (words) => {
      refusal = words
      closing.abort()
      closed.resolve()
      await Promise.allSettled(calls)
    },
    stop: listener.stop,
  }
}
