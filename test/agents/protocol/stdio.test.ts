import { describe, expect, test } from 'bun:test'
import { answer } from '../../../src/agents/protocol/protocol.ts'
import { serveLines } from '../../../src/agents/protocol/stdio.ts'
import { CONTEXT, exchangeOf, fixtureTool } from '../fixture.ts'
import { type Reply, request } from '../rpc.ts'

const SLOW_RESULTS = new Map<string, PromiseWithResolvers<unknown>>()

/** Tools that answer when the test says so. */
const { exchange } = exchangeOf([
  fixtureTool('echo', async (_, args) => args),
  fixtureTool('slow', async (_, args) => {
    running.push(String(args['as']))
    const later = Promise.withResolvers<unknown>()
    SLOW_RESULTS.set(String(args['as']), later)
    return later.promise
  }),
  fixtureTool('wait', async ({ openCall }) => {
    await openCall?.progress?.(5, 10, 'half')
    const end = Promise.withResolvers<string>()
    openCall?.cancelled.addEventListener('abort', () => end.resolve('cancelled'))
    openCall?.inputEnded.addEventListener('abort', () => end.resolve('input ended'))
    ended.push(await end.promise)
    return {}
  }),
])
const running: string[] = []
/** Why each wait has ended. */
const ended: string[] = []

/** Serves pushed input and keeps the output. */
function connect(write?: (line: string) => Promise<void>) {
  const written: string[] = []
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const done = serveLines({
    input: readable,
    write: write ?? (async (line) => void written.push(line)),
    answer: (message, openCall) =>
      answer(message, {
        ...exchange,
        open: () => ({ context: { ...CONTEXT, openCall }, absent: [] }),
      }),
  })
  return {
    done,
    written,
    send: (...lines: readonly (object | string)[]) =>
      writer.write(
        new TextEncoder().encode(
          lines
            .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
            .join(''),
        ),
      ),
    end: async (): Promise<Reply[]> => {
      await writer.close()
      await done
      return written.map((line) => JSON.parse(line))
    },
  }
}

const call = (name: string, args: object, id: number | string) =>
  request('tools/call', { name, arguments: args }, id)

describe('the line transport', () => {
  test('writes one line a reply, and nothing for a notification', async () => {
    const peer = connect()
    await peer.send(
      request('ping'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      '',
      '  ',
    )
    expect(await peer.end()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }] as never)
    expect(peer.written[0]).toMatch(/^[^\n]+\n$/)
  })

  test('survives garbage and answers it', async () => {
    const peer = connect()
    await peer.send('garbage', '[]', 'x'.repeat(300_000), '\u0000', request('ping'))
    const replies = await peer.end()
    const codes = replies.map(({ error, result }) => error?.code ?? result)
    expect(codes.toSorted()).toEqual([-32600, -32700, -32700, -32700, {}].toSorted() as never)
  })

  test.each([
    [262_144, { result: {} }],
    [262_145, { error: { code: -32700 } }],
  ])('answers a line of %i bytes with %j', async (bytes, reply) => {
    const peer = connect()
    const message = JSON.stringify(request('ping'))
    await peer.send(message.padEnd(bytes))
    expect(await peer.end()).toMatchObject([reply])
  })

  test('finishes what it has begun when the input ends', async () => {
    const peer = connect()
    await peer.send(call('slow', { as: 'late' }, 'a'))
    const end = peer.end()
    await until(() => running.includes('late'))
    SLOW_RESULTS.get('late')?.resolve({ done: true })
    expect(await end).toMatchObject([{ id: 'a' }])
  })

  test('answers a quick call while a slow one runs', async () => {
    const peer = connect()
    await peer.send(call('slow', { as: 'first' }, 1), call('echo', {}, 2))
    await until(() => peer.written.length === 1)
    SLOW_RESULTS.get('first')?.resolve({})
    expect((await peer.end()).map(({ id }) => id)).toEqual([2, 1])
  })

  test('finishes a cancelled call and does not answer it', async () => {
    const peer = connect()
    await peer.send(call('slow', { as: 'gone' }, 7), call('slow', { as: 'kept' }, '7'))
    await peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    await until(() => running.includes('gone') && running.includes('kept'))
    await Bun.sleep(0)
    SLOW_RESULTS.get('gone')?.resolve({})
    SLOW_RESULTS.get('kept')?.resolve({})
    expect((await peer.end()).map(({ id }) => id)).toEqual(['7'])
  })

  const waiting = (params: object, id: number) =>
    request('tools/call', { name: 'wait', arguments: {}, ...params }, id)

  test('tells a running call that it is cancelled, and answers it not', async () => {
    const peer = connect()
    await peer.send(waiting({}, 1), waiting({}, 2))
    await peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await until(() => ended.includes('cancelled'))
    expect((await peer.end()).map(({ id }) => id)).toEqual([2])
    expect(ended.splice(0)).toEqual(['cancelled', 'input ended'])
  })

  test.each(['token', 0])(
    'sends progress of a call under its token %p, before its answer',
    async (progressToken) => {
      const peer = connect()
      await peer.send(waiting({ _meta: { progressToken } }, 1))
      const [first, second, ...others] = (await peer.end()) as unknown as object[]
      const params = { progressToken, progress: 5, total: 10, message: 'half' }
      expect(first).toEqual({ jsonrpc: '2.0', method: 'notifications/progress', params })
      expect(second).toMatchObject({ id: 1 })
      expect(others).toEqual([])
      ended.length = 0
    },
  )

  test.each([null, 1.5, {}, undefined])(
    'sends none for what is no token: %p',
    async (progressToken) => {
      const peer = connect()
      await peer.send(waiting({ _meta: { progressToken } }, 1))
      expect(await peer.end()).toMatchObject([{ id: 1 }])
      ended.length = 0
    },
  )

  test('runs at most sixteen calls at once', async () => {
    const before = running.length
    const peer = connect()
    const calls = Array.from({ length: 20 }, (_, at) => call('slow', { as: `many ${at}` }, at))
    await peer.send(...calls)
    await until(() => running.length - before === 16)
    await Bun.sleep(5)
    expect(running.length - before).toBe(16)
    SLOW_RESULTS.get('many 3')?.resolve({})
    await until(() => running.length - before === 17)
    const end = peer.end()
    for (let at = 0; at < 20; at += 1) {
      await until(() => SLOW_RESULTS.has(`many ${at}`))
      SLOW_RESULTS.get(`many ${at}`)?.resolve({})
    }
    expect(await end).toHaveLength(20)
  })

  test('ends when nobody reads the answers any more', async () => {
    const peer = connect(() =>
      Promise.reject(Object.assign(new Error('the pipe broke'), { code: 'EPIPE' })),
    )
    await peer.send(request('ping'))
    await Bun.sleep(0)
    await peer.send(request('ping'))
    expect(await peer.done).toBeUndefined()
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(0)
}
