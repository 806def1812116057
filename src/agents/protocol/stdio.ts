import { isObject } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { OpenCall } from '../tool.ts'
import { messageId, parseMessage, RPC_CODES, RpcError, type RpcId } from './json-rpc.ts'
import { type InputLine, readLines } from './lines.ts'
import { errorReply, type ProtocolReply } from './protocol.ts'

/** Maximum bytes of a line, more than any tool needs. A longer line is dropped while it is read. */
const LINE_MAX_BYTES = 256 * 1024

/** Maximum number of concurrent calls; at the maximum, reading stops until one call has its answer. */
const CALLS_MAX = 16

export type StdioOptions = {
  readonly input: AsyncIterable<Uint8Array>
  /** Writes one line with its newline. Resolves when the line has been passed on, rejects if the output is closed. */
  readonly write: (line: string) => Promise<void>
  readonly answer: (message: unknown, call: OpenCall) => Promise<ProtocolReply>
}

/**
 * Serves JSON-RPC, one message per line, until the input has ended and every call has its answer. An invalid line is
 * answered with an error. A cancelled call gets no answer: a wait ends at once, but a write is finished, because it may
 * have been sent. A call with a progress token may send progress. After the output has closed, serving ends at the next
 * line.
 */
export async function serveLines({ input, write, answer }: StdioOptions): Promise<void> {
  const calls = new Set<Promise<void>>()
  const pending = new Map<RpcId, AbortController>()
  const ended = new AbortController()
  let gone = false

  async function send(body: object | null): Promise<void> {
    if (body === null || gone) return
    try {
      await write(`${JSON.stringify(body)}\n`)
    } catch (error) {
      reportUnexpected('mcp', error, 'system')
      gone = true
    }
  }

  async function serve(message: unknown): Promise<void> {
    const cancelled = cancelledId(message)
    if (cancelled !== null) pending.get(cancelled)?.abort()
    const id = messageId(message)
    const { signal } = pended(id)
    const token = progressToken(message)
    const progress = async (done: number, total: number, text: string) => {
      const params = { progressToken: token, progress: done, total, message: text }
      if (!signal.aborted) await send({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    const { body } = await answer(message, {
      cancelled: signal,
      inputEnded: ended.signal,
      progress: token === null ? null : progress,
    })
    if (id !== null && pending.get(id)?.signal === signal) pending.delete(id)
    if (!signal.aborted) await send(body)
  }

  function pended(id: RpcId | null): AbortController {
    const controller = new AbortController()
    if (id !== null) pending.set(id, controller)
    return controller
  }

  async function take(line: InputLine): Promise<void> {
    const message = parseLine(line)
    if (message instanceof RpcError) await send(errorReply(null, message).body)
    else await serve(message)
  }

  for await (const line of readLines(input, LINE_MAX_BYTES)) {
    if (gone) break
    if ('text' in line && line.text.trim() === '') continue
    const call: Promise<void> = take(line).finally(() => calls.delete(call))
    calls.add(call)
    if (calls.size >= CALLS_MAX) await Promise.race(calls)
  }
  ended.abort()
  await Promise.all(calls)
}

function parseLine(line: InputLine): unknown {
  if ('fault' in line) return new RpcError(RPC_CODES.parse, `The line is ${line.fault}.`)
  try {
    return parseMessage(line.text)
  } catch (error) {
    return error
  }
}

/** The id of the request that a `notifications/cancelled` message names; null for any other message. */
function cancelledId(message: unknown): RpcId | null {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return null
  const { params } = message
  return isObject(params) ? messageId({ id: params['requestId'] }) : null
}

/** The progress token of a request (MCP 2025-11-25 and 2026-07-28, basic utilities: progress); null without a token. */
function progressToken(message: unknown): RpcId | null {
  const params = isObject(message) ? message['params'] : undefined
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) ? messageId({ id: meta['progressToken'] }) : null
}
