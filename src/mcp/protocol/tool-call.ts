import { isDeeper, isObject } from '../../core/json.ts'
import { suggest } from '../../settings/suggest.ts'
import { LIMITS } from '../../spec/limits.ts'
import { invalidArgument } from '../refusal.ts'
import { failureResult, isExpected, resultOf, type ToolResult } from '../results.ts'
import type { Tool } from '../tool.ts'
import { RPC_CODES, RpcError } from './json-rpc.ts'
import { assertCredentials, assertSecretKept, type Session } from './session.ts'

export type ToolCalls = {
  /** Those that can be called, or what loads them for the first call. */
  readonly tools: readonly Tool[] | (() => Promise<readonly Tool[]>)
  /** Opened for each call. Throws what the call is refused with: a full window, unusable credentials. */
  readonly open: () => Session
  /** Told of what no tool should throw. */
  readonly onCrash: (error: unknown) => void
  /** Told of every call of a tool that exists: `ok`, or the code it failed with. */
  readonly called?: (tool: string, code: string) => void
}

/**
 * Runs one tool. Whatever a tool fails with is a result; throws RpcError -32602 only when no tool is named, or none
 * of that name exists.
 */
export async function callTool(
  params: Readonly<Record<string, unknown>>,
  calls: ToolCalls,
): Promise<ToolResult> {
  const { tools } = calls
  const tool = toolOf(params['name'], typeof tools === 'function' ? await tools() : tools)
  const given = params['arguments'] ?? {}
  if (!isObject(given)) {
    throw new RpcError(RPC_CODES.invalidParams, 'The arguments must be an object.', { status: 200 })
  }
  try {
    const session = calls.open()
    if (isDeeper(given, LIMITS.httpBodyDepthMax)) {
      throw invalidArgument('arguments', 'too_deep')
    }
    assertCredentials(tool, session)
    assertSecretKept(given, session)
    const result = resultOf(await tool.run(session.context, given))
    calls.called?.(tool.name, 'ok')
    return result
  } catch (error) {
    if (!isExpected(error)) calls.onCrash(error)
    calls.called?.(tool.name, isExpected(error) ? error.code : 'internal')
    return failureResult(error)
  }
}

/** Names that may be repeated: too short, and of too few characters, to be a secret or an attack on a terminal. */
const REPEATABLE = /^[A-Za-z][A-Za-z0-9_.-]{0,47}$/

function toolOf(name: unknown, tools: readonly Tool[]): Tool {
  if (typeof name !== 'string') throw unknownTool('The name of a tool is missing.')
  const tool = tools.find((known) => known.name === name)
  if (tool) return tool
  const said = REPEATABLE.test(name) ? `Unknown tool: ${name}.` : 'Unknown tool.'
  const names = tools.map((known) => known.name)
  const near = REPEATABLE.test(name) ? suggest(name, names) : undefined
  throw unknownTool(`${said} ${near ? `Did you mean ${near}?` : 'tools/list names them all.'}`)
}

function unknownTool(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message, { status: 200 })
}
