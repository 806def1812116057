import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { modern, modernHeaders, post, postedOf, request, toolText } from './rpc.ts'

const KEPT = { ttlMs: 300_000, cacheScope: 'public' }
const INFO = 'io.modelcontextprotocol/serverInfo'
const METHODS = 'initialize, ping, server/discover, tools/list, tools/call, resources/list'

/** Answers to requests without any header. */
// biome-ignore format: one request a row
const LEGACY: readonly { name: string; body: unknown; status: number; reply: object | undefined }[] = [
  { name: 'initialize with a known version', body: request('initialize', { protocolVersion: '2025-06-18' }), status: 200, reply: { result: { protocolVersion: '2025-06-18', capabilities: { tools: {}, resources: {}, prompts: {} } } } },
  { name: 'initialize with the version that demands batches', body: request('initialize', { protocolVersion: '2025-03-26' }), status: 200, reply: { result: { protocolVersion: '2024-11-05' } } },
  { name: 'initialize with an unknown version', body: request('initialize', { protocolVersion: '1999-01-01' }), status: 200, reply: { result: { protocolVersion: '2025-11-25' } } },
  { name: 'initialize with a version that has no handshake', body: request('initialize', { protocolVersion: '2026-07-28' }), status: 200, reply: { result: { protocolVersion: '2025-11-25' } } },
  { name: 'initialize without params', body: request('initialize'), status: 200, reply: { result: { protocolVersion: '2025-11-25' } } },
  { name: 'ping', body: request('ping'), status: 200, reply: { result: {} } },
  { name: 'server/discover', body: request('server/discover'), status: 200, reply: { result: { resultType: 'complete', supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'] } } },
  { name: 'tools/list with a cursor', body: request('tools/list', { cursor: 'x' }), status: 200, reply: { result: { tools: expect.any(Array) } } },
  { name: 'resources/list', body: request('resources/list'), status: 200, reply: { result: { resources: [] } } },
  { name: 'resources/templates/list', body: request('resources/templates/list'), status: 200, reply: { result: { resourceTemplates: [] } } },
  { name: 'prompts/list', body: request('prompts/list'), status: 200, reply: { result: { prompts: [] } } },
  { name: 'an unknown method', body: request('tools/destroy'), status: 200, reply: { error: { code: -32601, message: expect.stringContaining(METHODS) } } },
  { name: 'a method named like a property of every object', body: request('constructor'), status: 200, reply: { error: { code: -32601 } } },
  { name: 'an unknown tool', body: request('tools/call', { name: 'list_market' }), status: 200, reply: { error: { code: -32602, message: 'Unknown tool: list_market. Did you mean list_markets?' } } },
  { name: 'a tool without a name', body: request('tools/call'), status: 200, reply: { error: { code: -32602 } } },
  { name: 'a notification', body: { jsonrpc: '2.0', method: 'notifications/initialized' }, status: 202, reply: undefined },
  { name: 'a notification nobody knows', body: { jsonrpc: '2.0', method: 'x' }, status: 202, reply: undefined },
  { name: 'a stray response', body: { jsonrpc: '2.0', id: 7, result: {} }, status: 202, reply: undefined },
  { name: 'not JSON', body: '{', status: 400, reply: { id: null, error: { code: -32700 } } },
  { name: 'nothing', body: '', status: 400, reply: { id: null, error: { code: -32700 } } },
  { name: 'a batch', body: [request('ping')], status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'an empty batch', body: [], status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'a number', body: '7', status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'another version of JSON-RPC', body: { jsonrpc: '1.0', id: 1, method: 'ping' }, status: 400, reply: { error: { code: -32600 } } },
  { name: 'no version of JSON-RPC', body: { id: 1, method: 'ping' }, status: 400, reply: { error: { code: -32600 } } },
  { name: 'a null id', body: { jsonrpc: '2.0', id: null, method: 'ping' }, status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'a fractional id', body: { jsonrpc: '2.0', id: 1.5, method: 'ping' }, status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'an object as id', body: { jsonrpc: '2.0', id: {}, method: 'ping' }, status: 400, reply: { id: null, error: { code: -32600 } } },
  { name: 'params in a list', body: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, status: 400, reply: { error: { code: -32600 } } },
]

/** Demands and answers of the era without a handshake. */
// biome-ignore format: one request a row
const MODERN: readonly { name: string; body: object; headers: Record<string, string>; status: number; reply: object }[] = [
  { name: 'server/discover', body: modern('server/discover'), headers: modernHeaders('server/discover'), status: 200, reply: { result: { resultType: 'complete', ...KEPT, _meta: { [INFO]: { name: 'prepd' } } } } },
  { name: 'tools/list', body: modern('tools/list'), headers: modernHeaders('tools/list'), status: 200, reply: { result: { resultType: 'complete', ...KEPT, tools: expect.any(Array), _meta: { [INFO]: { name: 'prepd' } } } } },
  { name: 'resources/list', body: modern('resources/list'), headers: modernHeaders('resources/list'), status: 200, reply: { result: { resultType: 'complete', ...KEPT, resources: [] } } },
  { name: 'prompts/list', body: modern('prompts/list'), headers: modernHeaders('prompts/list'), status: 200, reply: { result: { resultType: 'complete', ...KEPT, prompts: [] } } },
  { name: 'resources/templates/list', body: modern('resources/templates/list'), headers: modernHeaders('resources/templates/list'), status: 200, reply: { result: { resultType: 'complete', ...KEPT, resourceTemplates: [] } } },
  { name: 'an encoded name', body: modern('tools/call', { name: 'list_markets' }), headers: modernHeaders('tools/call', `=?base64?${btoa('list_markets')}?=`), status: 200, reply: { result: { resultType: 'complete' } } },
  { name: 'initialize', body: modern('initialize'), headers: modernHeaders('initialize'), status: 404, reply: { error: { code: -32601 } } },
  { name: 'ping', body: modern('ping'), headers: modernHeaders('ping'), status: 404, reply: { error: { code: -32601 } } },
  { name: 'an unknown method', body: modern('x'), headers: modernHeaders('x'), status: 404, reply: { error: { code: -32601, message: expect.stringContaining('tools/list') } } },
  { name: 'an unknown tool', body: modern('tools/call', { name: 'nothing' }), headers: modernHeaders('tools/call', 'nothing'), status: 200, reply: { error: { code: -32602 } } },
  { name: 'a header without its envelope', body: request('tools/list'), headers: modernHeaders('tools/list'), status: 400, reply: { error: { code: -32602 } } },
  { name: 'no capabilities', body: modern('tools/list', {}, { 'io.modelcontextprotocol/clientCapabilities': undefined }), headers: modernHeaders('tools/list'), status: 400, reply: { error: { code: -32602 } } },
  { name: 'a version that is no text', body: modern('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': 7 }), headers: modernHeaders('tools/list'), status: 400, reply: { error: { code: -32602 } } },
  { name: 'no version header', body: modern('tools/list'), headers: { 'mcp-method': 'tools/list' }, status: 400, reply: { error: { code: -32020 } } },
  { name: 'another version header', body: modern('tools/list'), headers: { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2025-11-25' }, status: 400, reply: { error: { code: -32020 } } },
  { name: 'an unknown version', body: modern('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }), headers: { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2030-01-01' }, status: 400, reply: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } } } },
  { name: 'no method header', body: modern('tools/list'), headers: { 'mcp-protocol-version': '2026-07-28' }, status: 400, reply: { error: { code: -32020 } } },
  { name: 'a method header in another case', body: modern('tools/list'), headers: modernHeaders('TOOLS/LIST'), status: 400, reply: { error: { code: -32020 } } },
  { name: 'no name header', body: modern('tools/call', { name: 'list_markets' }), headers: modernHeaders('tools/call'), status: 400, reply: { error: { code: -32020 } } },
  { name: 'another name header', body: modern('tools/call', { name: 'list_markets' }), headers: modernHeaders('tools/call', 'place_order'), status: 400, reply: { error: { code: -32020 } } },
]

describe.each(TARGET_KINDS)('the agent endpoint (%s)', (kind) => {
  let target: Target
  beforeAll(async () => {
    target = await openTarget(kind, { LIMIT_MCP: 'off' })
  })
  afterAll(() => target.stop())

  test.each(LEGACY)('answers a plain request: $name', async ({ body, status, reply }) => {
    const posted = await post(target, body)
    expect(posted.status).toBe(status)
    expect(posted.headers.get('cache-control')).toBe('no-store')
    if (reply === undefined) expect(posted.text).toBe('')
    else expect(posted.json).toMatchObject(reply)
  })

  test('adds nothing of the modern era to a plain answer', async () => {
    const { json } = await post(target, request('tools/list'))
    expect(Object.keys(json?.result ?? {})).toEqual(['tools'])
  })

  test.each(MODERN)('answers a modern request: $name', async ({ body, headers, status, reply }) => {
    const posted = await post(target, body, headers)
    expect(posted.status).toBe(status)
    expect(posted.json).toMatchObject(reply)
  })

  test.each(['2025-11-25', '2025-03-26', '2024-11-05'])(
    'takes %s as the version of a plain request',
    async (version) => {
      const { status, json } = await post(target, request('ping'), {
        'mcp-protocol-version': version,
      })
      expect({ status, result: json?.result }).toEqual({ status: 200, result: {} })
    },
  )

  test.each(['2026-07-28', '2025-03-26', '1999-01-01', 'nonsense'])(
    'negotiates initialize by its body under the version header %s',
    async (version) => {
      const initialize = request('initialize', { protocolVersion: '2025-06-18' })
      const { status, json } = await post(target, initialize, { 'mcp-protocol-version': version })
      expect({ status, version: json?.result?.['protocolVersion'] }).toEqual({
        status: 200,
        version: '2025-06-18',
      })
    },
  )

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])(
    'refuses %s and says what it takes',
    async (method) => {
      const response = await target.fetch('/mcp', { method })
      expect(response.headers.get('allow')).toBe('POST')
      const { status, json } = await postedOf(response)
      expect(status).toBe(405)
      expect(json?.error?.data).toMatchObject({ code: 'method_not_allowed' })
      expect(json).toMatchObject({ id: null })
    },
  )

  test('lists every tool to everybody, described and without surprises for a client', async () => {
    const { json } = await post(target, request('tools/list'))
    const tools = json?.result?.['tools'] as Record<string, unknown>[]
    expect(tools.map(({ name }) => name)).toContain('place_order')
    for (const tool of tools) {
      expect(Object.keys(tool)).toEqual(['name', 'description', 'inputSchema', 'annotations'])
      expect(tool['inputSchema']).toMatchObject({ type: 'object', additionalProperties: false })
      expect(tool['annotations']).toMatchObject({ title: expect.any(String) })
    }
  })

  test('runs a tool for a request without any header', async () => {
    const { json } = await post(target, request('tools/call', { name: 'list_markets' }))
    const { isError, value } = toolText(json)
    expect(isError).toBe(false)
    expect(value['markets']).toBeArray()
  })

  test('answers an argument that is wrong with the tool’s failure, not the transport’s', async () => {
    const params = { name: 'get_orderbook', arguments: {} }
    const { status, json } = await post(target, request('tools/call', params))
    expect(status).toBe(200)
    const { isError, value } = toolText(json)
    expect(isError).toBe(true)
    expect(value).toMatchObject({
      code: 'invalid_request',
      retryable: false,
      meta: { parameter: 'symbol' },
    })
  })

  test('offers no way to log in', async () => {
    for (const path of ['oauth-protected-resource', 'oauth-authorization-server']) {
      expect((await target.fetch(`/.well-known/${path}`)).status).toBe(404)
    }
  })
})
