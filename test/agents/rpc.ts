import { expect } from 'bun:test'
import type { Target } from '../target.ts'

/** A request as a plain program writes it. */
export function request(method: string, params?: object, id: number | string = 1): object {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request of the era without a handshake; `meta` replaces or, as undefined, removes fields of its envelope. */
export function modern(method: string, params: object = {}, meta: object = {}): object {
  return request(method, { ...params, _meta: { ...META, ...meta } })
}

/** The headers that go with a modern request. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  }
}

export type Posted = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The parsed body; undefined when it is empty. */
  readonly json: Reply | undefined
}

export type Reply = {
  readonly id?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object }
}

/** Posts to the agent endpoint with no header but those given; `body` is sent as it is when it is a text. */
export async function post(
  target: Target,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Posted> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await target.fetch('/mcp', { method: 'POST', headers, body: text })
  return postedOf(response)
}

export async function postedOf(response: Response): Promise<Posted> {
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, text, headers: response.headers, json }
}

/** The one text part of a tool's result, parsed. */
export function toolText(reply: Reply | undefined): {
  readonly isError: boolean
  readonly value: Record<string, unknown>
} {
  const { content, isError } = reply?.result ?? {}
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }])
  const [part] = content as [{ text: string }]
  return { isError: isError === true, value: JSON.parse(part.text) }
}
