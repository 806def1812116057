import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { createClient } from '../../../src/agents/client/client.ts'
import { remoteTransport } from '../../../src/agents/client/remote.ts'
import { newCaller } from '../../caller.ts'
import {
  type AnswerSpec,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../../recording-upstream.ts'

const ORDER = { method: 'POST', path: '/v1/order', body: '{}' } as const
const POSITIONS = { method: 'GET', path: '/v1/positions' } as const

let answer: AnswerSpec = { json: {} }
let server: RecordingUpstream
beforeAll(async () => {
  server = await startRecordingUpstream(() => answer)
})
afterAll(() => server.stop())

function clientOf(baseUrl: string) {
  return createClient({ baseUrl, transport: remoteTransport(fetch), nowMs: Date.now })
}

describe('a service over the network', () => {
  test('is sent signed calls under its base path, and never the secret', async () => {
    answer = { json: { rows: [] } }
    const caller = newCaller()
    expect(await clientOf(`${server.url}/prepd`).relay(caller, POSITIONS)).toEqual({ rows: [] })
    const { method, target, text } = server.requests.at(-1) ?? { text: '' }
    expect({ method, target }).toEqual({ method: 'POST', target: '/prepd/api/prep/relay' })
    expect(JSON.parse(text)).toMatchObject({ ...POSITIONS, auth: { accountId: caller.accountId } })
    expect(text).not.toContain(Buffer.from(caller.secret).toString('hex'))
  })

  test('that breaks off a write leaves its outcome unknown, and is not sent it again', async () => {
    answer = 'close'
    const before = server.requests.length
    const sent = clientOf(server.url).relay(newCaller(), ORDER)
    await expect(sent).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(server.requests.length - before).toBe(1)
  })

  test('has half a minute to answer, longer than it waits for the venue itself', async () => {
    answer = { json: {} }
    const timeout = spyOn(AbortSignal, 'timeout')
    try {
      for (const call of [ORDER, POSITIONS]) await clientOf(server.url).relay(newCaller(), call)
      expect(timeout.mock.calls).toEqual([[30_000], [30_000]])
    } finally {
      timeout.mockRestore()
    }
  })

  test('that breaks off a read is out of reach', async () => {
    answer = 'close'
    const read = clientOf(server.url).relay(newCaller(), POSITIONS)
    await expect(read).rejects.toMatchObject({ code: 'upstream_unavailable' })
  })

  test.each([ORDER, POSITIONS])('that nobody listens at has got nothing: $method', async (call) => {
    const sent = clientOf('http://127.0.0.1:1').relay(newCaller(), call)
    await expect(sent).rejects.toMatchObject({ code: 'upstream_unavailable' })
  })

  test('gets each signed call on a connection of its own, where nothing can have died', async () => {
    answer = { json: {} }
    const before = server.requests.length
    const client = clientOf(server.url)
    for (const call of [ORDER, ORDER]) await client.relay(newCaller(), call)
    for (let reads = 0; reads < 2; reads += 1) await client.get('/api/prep/markets')
    const [first, second, third, fourth] = server.requests.slice(before)
    expect(first?.connection).not.toBe(second?.connection)
    expect(third?.connection).toBe(fourth?.connection)
  })

  test('cannot send a signed call on to somewhere else', async () => {
    const before = server.requests.length
    answer = { status: 307, headers: { location: `${server.url}/elsewhere` }, json: {} }
    await expect(clientOf(server.url).relay(newCaller(), ORDER)).rejects.toMatchObject({
      status: 307,
    })
    expect(server.requests.length - before).toBe(1)
  })
})
