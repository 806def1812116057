import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ClientFailure } from '../../../src/agents/client/client.ts'
import { answer, isToolCall } from '../../../src/agents/protocol/protocol.ts'
import type { Tool } from '../../../src/agents/tool.ts'
import { ToolFailure } from '../../../src/agents/tool.ts'
import { Failure } from '../../../src/core/failure.ts'
import { CONTEXT, exchangeOf, fixtureTool } from '../fixture.ts'
import { modern, type Reply, request, toolText } from '../rpc.ts'

async function call(tool: Tool, args?: unknown) {
  const { exchange, crashes } = exchangeOf([tool])
  const params = { name: tool.name, ...(args !== undefined && { arguments: args }) }
  const { status, body } = await answer(request('tools/call', params), exchange)
  return { status, reply: body as Reply, crashes }
}

function failing(error: unknown) {
  return fixtureTool('fail', () => Promise.reject(error))
}

describe('the result of a tool', () => {
  test('is one text part of compact JSON and nothing else', async () => {
    const { reply } = await call(fixtureTool('add', async () => ({ sum: 3, rows: [1, 2] })))
    expect(reply.result).toEqual({ content: [{ type: 'text', text: '{"sum":3,"rows":[1,2]}' }] })
  })

  test('that is nothing is an empty object', async () => {
    const { reply } = await call(fixtureTool('mute', async () => undefined))
    expect(toolText(reply).value).toEqual({})
  })

  test.each([
    ['just fits', 59_990, false],
    ['is a little longer', 60_000, true],
    ['has few characters but many bytes', 20_000, true],
  ])('is never over 60 kB: one that %s', async (_, chars, isError) => {
    const letter = chars === 20_000 ? '\u20ac' : 'x'
    const { reply, crashes } = await call(
      fixtureTool('write', async () => ({ a: letter.repeat(chars) })),
    )
    expect(toolText(reply).isError).toBe(isError)
    if (isError) expect(toolText(reply).value).toMatchObject({ code: 'payload_too_large' })
    expect(crashes).toEqual([])
  })

  test('gets the arguments as they were sent, and an empty object for none', async () => {
    const echo = fixtureTool('echo', async (_, args) => args)
    expect(toolText((await call(echo, { n: '1', x: null })).reply).value).toEqual({
      n: '1',
      x: null,
    })
    expect(toolText((await call(echo)).reply).value).toEqual({})
    expect(toolText((await call(echo, null)).reply).value).toEqual({})
    expect((await call(echo, [1])).reply.error?.code).toBe(-32602)
    expect((await call(echo, '{}')).reply.error?.code).toBe(-32602)
  })
})

describe('a failure of a tool', () => {
  test.each([
    [
      'its own',
      new ToolFailure({ error: 'Too big.', code: 'forbidden', meta: { limit: 5 } }),
      { error: 'Too big.', code: 'forbidden', retryable: false, meta: { limit: 5 } },
    ],
    [
      'one of ours',
      new Failure('not_found'),
      { error: 'There is nothing here.', code: 'not_found' },
    ],
    [
      'one of the service',
      new ClientFailure({
        code: 'rate_limited',
        error: 'Wait.',
        status: 429,
        retryAfterSeconds: 7,
      }),
      { code: 'rate_limited', retryable: true, meta: { retryAfterSeconds: 7 } },
    ],
    [
      'one that the service sent nothing for, so that a limit may pass soon',
      new ClientFailure({
        code: 'mandate_exceeded',
        error: 'Wait.',
        status: 403,
        retryAfterSeconds: 2,
      }),
      { code: 'mandate_exceeded', retryable: true },
    ],
    ...(['internal', 'outcome_unknown'] as const).map(
      (code) =>
        [
          `${code}, which may have been executed, whatever a proxy says of a retry`,
          new ClientFailure({ code, error: 'Wait.', status: 500, retryAfterSeconds: 7 }),
          { code, retryable: false },
        ] as const,
    ),
  ])('is a result, marked as an error: %s', async (_, error, expected) => {
    const { status, reply, crashes } = await call(failing(error))
    expect(status).toBe(200)
    expect(toolText(reply).isError).toBe(true)
    expect(toolText(reply).value).toMatchObject(expected)
    expect(crashes).toEqual([])
  })

  test.each([
    ['an error', new TypeError('secret detail')],
    ['a text', 'secret detail'],
    ['an object that looks like a failure', { code: 'forbidden' }],
  ])(
    'that nobody foresaw says only that it is ours, and is told to the operator: %s',
    async (_, error) => {
      const { reply, crashes } = await call(failing(error))
      expect(toolText(reply).value).toMatchObject({ code: 'internal', retryable: false })
      expect(JSON.stringify(reply)).not.toContain('secret detail')
      expect(crashes).toEqual([error])
    },
  )

  test('names the absent credentials, without running the tool', async () => {
    const ran: unknown[] = []
    const tool = fixtureTool('sign', async () => ran.push(1), { needsCredentials: true })
    const { reply } = await call(tool)
    expect(toolText(reply).value).toMatchObject({
      error: 'Credentials are missing: A, B.',
      code: 'unauthorized',
      meta: { missing: ['A', 'B'] },
    })
    expect(ran).toEqual([])
  })

  test('repeats no trading key that stands in the arguments, in any case or place', async () => {
    const secret = new Uint8Array(32).fill(0xab)
    const credentials = { accountId: `0x${'1'.repeat(64)}`, key: 'ed25519:x', secret }
    const ran: unknown[] = []
    const tool = fixtureTool('echo', async (_, args) => ran.push(args))
    const { exchange } = exchangeOf([tool], {
      open: () => ({ context: { ...CONTEXT, credentials }, absent: [] }),
    })
    for (const args of [
      { a: 'AB'.repeat(32) },
      { b: [{ c: `key ${'ab'.repeat(32)}.` }] },
      { ['ab'.repeat(32)]: 1 },
    ]) {
      const message = request('tools/call', { name: 'echo', arguments: args })
      const { body } = await answer(message, exchange)
      expect(toolText(body as Reply).value).toMatchObject({ code: 'invalid_request' })
      expect(JSON.stringify(body).toLowerCase()).not.toContain('abab')
    }
    expect(ran).toEqual([])
  })
})

describe('an unknown tool', () => {
  const { exchange } = exchangeOf([fixtureTool('list_markets', async () => 1)])
  const message = async (name: unknown) =>
    (await answer(request('tools/call', { name }), exchange)).body as Reply

  test.each([
    ['list_markts', 'Unknown tool: list_markts. Did you mean list_markets?'],
    ['fly', 'Unknown tool: fly. tools/list names them all.'],
    ['toString', 'Unknown tool: toString. tools/list names them all.'],
    ['ab'.repeat(32), 'Unknown tool. tools/list names them all.'],
    ['\u001b[31mred', 'Unknown tool. tools/list names them all.'],
    [7, 'The name of a tool is missing.'],
  ])('is an error of the protocol, repeated only when harmless: %p', async (name, expected) => {
    expect((await message(name)).error).toEqual({ code: -32602, message: expected })
  })
})

describe('without headers', () => {
  test('a modern request is recognised by its envelope alone', async () => {
    const { exchange } = exchangeOf([])
    const { body } = await answer(modern('tools/list'), exchange)
    expect(body).toMatchObject({ result: { resultType: 'complete', tools: [], ttlMs: 300_000 } })
    const old = await answer(modern('ping'), exchange)
    expect(old.body).toMatchObject({ error: { code: -32601 } })
  })
})

describe('a call of a tool', () => {
  test.each([
    [request('tools/call', { name: 'x' }), true],
    [request('tools/list'), false],
    [{ jsonrpc: '2.0', method: 'tools/call' }, false],
    [[request('tools/call')], false],
    [null, false],
  ])('is told from other messages: %j', (message, expected) => {
    expect(isToolCall(message)).toBe(expected)
  })
})

// Slow: many generated messages are answered, in two eras each.
test('any message at all is answered, in both eras, and never with a crash', async () => {
  const { exchange, crashes } = exchangeOf([fixtureTool('echo', async (_, args) => args)])
  const part = fc.oneof(fc.jsonValue(), fc.constantFrom('tools/call', 'echo', '2.0', 'initialize'))
  const record = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant('2.0'), part),
      id: part,
      method: part,
      params: fc.oneof(fc.record({ name: part, arguments: part, _meta: part }), part),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(record, fc.jsonValue()), async (message) => {
      const { status, body } = await answer(message, exchange)
      expect([200, 202, 400, 404]).toContain(status)
      expect(body === null).toBe(status === 202)
      expect(crashes).toEqual([])
    }),
    { numRuns: 2000 },
  )
})
