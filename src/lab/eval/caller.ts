import { isObject, parsedJson } from '../../core/json.ts'
import { parseToolAnswer } from './decisions.ts'

/** A tool's answer; `failed` is its failure code, or null. */
type ToolAnswer = { readonly value: unknown; readonly failed: string | null }

/** Calls a tool of the world. */
export type CallTool = (tool: string, given?: object) => Promise<ToolAnswer>

/** An agent in this process. It exchanges MCP lines with the server. */
export type LocalAgent = {
  readonly call: CallTool
  /** The agent's output until its end. */
  readonly output: AsyncIterable<Uint8Array>
  /** Passes a line of the server to the agent. */
  readonly read: (line: string) => void
  readonly end: () => void
}

/** Creates the agent's end of an MCP message stream, which makes one call at a time. */
export function createLocalAgent(): LocalAgent {
  const pending = new Map<number, (answer: ToolAnswer) => void>()
  const lines = createLines()
  let ids = 0
  return {
    output: lines.read(),
    end: lines.end,
    call: (tool, given = {}) => {
      ids += 1
      const id = ids
      const params = { name: tool, arguments: given }
      lines.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
      return new Promise((resolve) => pending.set(id, resolve))
    },
    read: (line) => {
      const message = parsedJson(line)
      if (!isObject(message) || typeof message['id'] !== 'number') return
      pending.get(message['id'])?.(toolAnswer(message['result']))
      pending.delete(message['id'])
    },
  }
}

function toolAnswer(result: unknown): ToolAnswer {
  const value = parseToolAnswer(result)
  if (isObject(result) && result['isError'] !== true) return { value, failed: null }
  return { value, failed: isObject(value) ? String(value['code']) : 'internal' }
}

/** A queue of texts, read as bytes until its end. */
function createLines() {
  const encoder = new TextEncoder()
  const queue: Uint8Array[] = []
  let more = Promise.withResolvers<void>()
  let isEnded = false
  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let chunk = queue.shift(); chunk; chunk = queue.shift()) yield chunk
      if (isEnded) return
      await more.promise
      more = Promise.withResolvers()
    }
  }
  return {
    read,
    write: (text: string) => {
      queue.push(encoder.encode(text))
      more.resolve()
    },
    end: () => {
      isEnded = true
      more.resolve()
    },
  }
}
