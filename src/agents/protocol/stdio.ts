import { isObject } from '../../core/json.ts'
import { expected } from '../../core/loop/guarded.ts'
import type { OpenCall } from '../tool.ts'
import { messageId, parseMessage, RPC_CODES, RpcError, type RpcId } from './json-rpc.ts'
import { type InputLine, readLines } from './lines.ts'
import { errorReply, type ProtocolReply } from './protocol.ts'

/** More than any tool's arguments need; a longer line is never held in memory. */
const LINE_MAX_BYTES = 256 * 1024

/** Calls that run at once; no further line is read until one of them has its answer. */
const CALLS_MAX = 16

export type StdioOptions = {
  readonly input: AsyncIterable<Uint8Array>
  /** Takes one line with its newline; settles when it has been passed on, rejects when the output is closed. */
  readonly write: (line: string) => Promise<void>
  readonly answer: (message: unknown, call: OpenCall) => Promise<ProtocolReply>
}

/**
 * Serves JSON-RPC, a message a line, until the input ends and every call begun has its answer. A line that is no
 * message is answered with an error. A call that its client has cancelled gets no answer: a wait ends, but a write is
 * finished, because it may have been sent. Calls that name a progress token may send progress until their answer. Ends
 * at the next line once the output is closed.
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
      expected('mcp', error, 'system')
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

/** The request that a `notifications/cancelled` names. */
function cancelledId(message: unknown): RpcId | null {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return null
  const { params } = message
  return isObject(params) ? messageId({ id: params['requestId'] }) : null
}

/** The token under which a request wants progress (MCP 2025-11-25 and 2026-07-28, basic utilities: progress). */
function progressToken(message: unknown): RpcId | null {
  const params = isObject(message) ? message['params'] : undefined
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) ? messageId({ id: meta['progressToken'] }) : null
}
