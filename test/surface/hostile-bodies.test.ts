// Slow: the deadline of a body is five seconds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { LIMITS } from '../../src/contract/limits.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, USUAL_KINDS } from '../target.ts'
import { rawExchange, spawnPrepd, temporaryFolder } from './spawned.ts'

const SIZE = LIMITS.httpBodyMaxBytes
const [GREEDY, LATER] = ['203.0.113.1', '203.0.113.2']
const HEAD = `POST /api/prep/relay HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${GREEDY}\r\nContent-Type: application/json\r\nContent-Length: ${SIZE}\r\n\r\n`

describe('bodies that do not come whole', () => {
  const folder = temporaryFolder()
  let prepd: ReturnType<typeof spawnPrepd>
  let url = ''
  beforeAll(async () => {
    prepd = spawnPrepd({
      settings: {
        DATA_DIR: `${folder.path}/data`,
        LIMIT_READ: 'off',
        TRUSTED_PROXIES: '127.0.0.1',
      },
    })
    url = await prepd.url()
  })
  const answerTo = async (body: object): Promise<unknown> =>
    (await fetch(`${url}/api/prep/relay`, jsonPost(body, LATER))).json()
  afterAll(async () => {
    prepd.kill('SIGKILL')
    await prepd.ended()
    folder[Symbol.dispose]()
  })

  test('are given up and their connections closed, and together take no more than the share of their address', async () => {
    const fitting = 1 + Math.floor(LIMITS.httpBodiesMaxBytes / SIZE / (LIMITS.httpBodyShares + 1))
    // The bodies follow once the last head is judged: they take long, and the deadline of the first must not end before.
    const bodies = Promise.withResolvers<string>()
    let ended = 0
    let [small, large]: unknown[] = []
    const answers = await Promise.all(
      Array.from({ length: fitting + 40 }, async () => {
        const answer = await rawExchange(url, HEAD, bodies.promise)
        ended += 1
        if (ended < 40) return answer
        // The share of its address is full now; another address has bodies of both kinds read.
        small ??= await answerTo({})
        large ??= await answerTo({ a: 'x'.repeat(SIZE / 2) })
        bodies.resolve('x'.repeat(SIZE - 1))
        return answer
      }),
    )
    const late = answers.filter((answer) => answer.startsWith('HTTP/1.1 400'))
    const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 429'))
    expect(late).toHaveLength(fitting)
    expect(refused).toHaveLength(40)
    expect(late[0]).toContain('"reason":"late"')
    expect(refused[0]?.toLowerCase()).toContain('retry-after: 1')
    const read = { code: 'invalid_request', meta: { parameter: 'method' } }
    expect([small, large]).toMatchObject([read, read])
    const whole = await fetch(`${url}/api/prep/relay`, jsonPost({}, GREEDY))
    expect(await whole.json()).toMatchObject(read)
  })

  test('and are cut off by their caller leave no line in the log', async () => {
    for (const sent of [HEAD, `${HEAD}{"path":`, HEAD + 'x'.repeat(SIZE - 1)]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await new Promise<void>((resolve) => socket.write(sent, () => resolve()))
      await Bun.sleep(20)
      socket.destroy()
    }
    expect((await fetch(`${url}/api/prep/catalogue`)).status).toBe(200)
    expect(prepd.log()).toBe('')
  })
})

test('what the venue packed badly leaves nothing raw on stderr', async () => {
  using folder = temporaryFolder()
  const venue = await startRecordingUpstream(() => ({
    body: 'this is not gzip',
    headers: { 'Content-Encoding': 'gzip' },
  }))
  const settings = { VENUE: venue.url, DATA_DIR: `${folder.path}/data`, LOG: 'info' }
  const prepd = spawnPrepd({ settings })
  const signed = envelope(newCaller(), { method: 'GET', path: '/v1/positions' })
  const answer = await fetch(`${await prepd.url()}/api/prep/relay`, jsonPost(signed))
  expect(await answer.json()).toMatchObject({ code: 'upstream_unavailable' })
  prepd.kill('SIGTERM')
  const lines = (await prepd.ended()).stderr.trim().split('\n')
  const events = lines.map((line) => JSON.parse(line).event)
  expect(events).toEqual([
    'store_created',
    'log_key',
    'start',
    'upstream_failed',
    'request',
    'stop',
  ])
  await venue.stop()
})

describe.each([...USUAL_KINDS])('JSON nested 40,000 deep, %s', (kind) => {
  const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`
  const post = (body: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

  test('in the arguments of a tool is invalid_request', async () => {
    const target = await openTarget(kind)
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_markets","arguments":{"query":${deep}}}}`
    const { result } = Object(await (await target.fetch('/mcp', post(call))).json())
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'arguments' },
    })
    expect(target.log()).not.toContain('crash')
    await target.stop()
  })

  test('in a body is invalid_request', async () => {
    const target = await openTarget(kind)
    const answer = await target.fetch('/api/prep/register', post(`{"message":${deep}}`))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'body', reason: 'too_deep' },
    })
    expect(target.log()).not.toContain('crash')
    await target.stop()
  })
})

test('what only the operator may do is reached by its exact path alone', async () => {
  using folder = temporaryFolder()
  const settings = {
    DATA_DIR: `${folder.path}/data`,
    OPERATOR_KEY: 'operator-key-of-thirty-two-letters',
  }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  const path = '/api/admin/venue/promote'
  const statusOf = async (target: string) => {
    const head = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
    return Number((await rawExchange(url, head)).slice(9, 12))
  }
  expect(await statusOf(path)).toBe(401)
  expect(await statusOf(`${path}?x=1`)).toBe(401)
  for (const spelling of [
    '/api/prep/../admin/venue/promote',
    '/api/./admin/venue/promote',
    `/x/..${path}`,
    `/${path}`,
    `${path}/`,
    `${path}/.`,
    '/api/admin/venue/x/../promote',
    '/api/admin/venue/%70romote',
    '/api/prep/%2e%2e/admin/venue/promote',
    '/API/admin/venue/promote',
  ]) {
    expect(`${spelling} ${await statusOf(spelling)}`).toBe(`${spelling} 404`)
  }
  prepd.kill('SIGTERM')
  await prepd.ended()
})
