import { LIMITS } from '../../contract/limits.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { ToolFailure } from '../tool.ts'
import { CLIENT_CAPABILITIES } from './eras.ts'
import { RPC_CODES, RpcError, type RpcRequest } from './json-rpc.ts'

/** The key of the question that the client shows its user. */
const QUESTION = 'approval'

type Params = RpcRequest['params']

/**
 * The arguments of a call. After a question, the client repeats the call with `requestState`, which has the arguments
 * of the same call; the answer to the question itself is ignored. Throws RpcError -32602 for a state that this tool did
 * not issue.
 */
export function callArguments(params: Params): unknown {
  const { requestState, name } = params
  if (requestState === undefined) return params['arguments'] ?? {}
  const isText = typeof requestState === 'string' && requestState.length <= LIMITS.httpBodyMaxBytes
  const state = isText ? parsedJson(requestState) : null
  if (isObject(state) && state['tool'] === name && isObject(state['again'])) return state['again']
  throw new RpcError(RPC_CODES.invalidParams, 'requestState is none that this tool gave.', {
    status: 200,
  })
}

/**
 * The result that makes a client show its user the approval link (MCP 2026-07-28, URL elicitation). Null for other
 * failures, for a client that cannot open links, and after the user has declined.
 */
export function linkRequired(failure: unknown, params: Params): object | null {
  if (!(failure instanceof ToolFailure) || failure.code !== 'approval_required') return null
  const { link, again, order, state } = failure.meta
  if (typeof link !== 'string' || state !== 'waiting') return null
  if (!opensLinks(params) || hasDeclined(params)) return null
  const lines = Array.isArray(order) ? order.map(String) : []
  const message = ['The owner of the account has to approve this:', ...lines].join('\n')
  return {
    resultType: 'input_required',
    inputRequests: {
      [QUESTION]: { method: 'elicitation/create', params: { mode: 'url', message, url: link } },
    },
    requestState: JSON.stringify({ tool: params['name'], again }),
  }
}

function opensLinks({ _meta: meta }: Params): boolean {
  const capabilities = isObject(meta) ? meta[CLIENT_CAPABILITIES] : undefined
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined
  return isObject(elicitation) && isObject(elicitation['url'])
}

function hasDeclined({ inputResponses }: Params): boolean {
  const answer = isObject(inputResponses) ? inputResponses[QUESTION] : undefined
  return isObject(answer) && answer['action'] !== 'accept'
}
