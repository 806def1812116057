import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { ACCEPTED, type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target } from '../target.ts'

const RELAY = '/api/prep/relay'
const BARE_REFUSAL = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const NEXT = 'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/**
 * What the runtime does with what comes behind a request that it is still answering: README and CHANGELOG say so, and
 * both change with a runtime that fails here.
 */
describe('a write, and what the caller sends behind it,', () => {
  let venue: RecordingUpstream
  let prepd: Target
  let url = ''
  let answerVenue = () => {}
  let venueAnswers = Promise.resolve()

  beforeAll(async () => {
    venue = await startRecordingUpstream(async () => {
      await venueAnswers
      return ACCEPTED
    })
    prepd = await openTarget('compiled binary', { VENUE: venue.url })
    url = (await prepd.listening()).public
  })
  beforeEach(() => {
    venueAnswers = new Promise((resolve) => {
      answerVenue = resolve
    })
  })
  afterAll(async () => {
    await prepd.stop()
    await venue.stop()
  })

  test.each([
    { what: 'a request in the same segment', behind: NEXT, isLate: false, comes: '' },
    { what: 'a request once the write is out', behind: NEXT, isLate: true, comes: '' },
    { what: 'a line end behind its body', behind: '\r\n', isLate: true, comes: BARE_REFUSAL },
    { what: 'the end of its sending', behind: null, isLate: true, comes: '' },
  ])('$what: its answer does not come, and it went out once', async (row) => {
    const { behind, isLate, comes } = row
    const before = venue.requests.length
    const sent = () => venue.requests.length - before
    const signed = envelope(newCaller(), { method: 'POST', path: '/v1/order', body: '{"a":1.10}' })
    const write = requestOf(JSON.stringify(signed))
    const answer = await exchanged(url, async (send, end) => {
      send(isLate || behind === null ? write : write + behind)
      while (isLate && sent() === 0) await Bun.sleep(1)
      if (isLate && behind !== null) send(behind)
      if (behind === null) end()
    })
    expect(answer).toBe(comes)
    const repeated = prepd.fetch(RELAY, jsonPost(signed))
    while (sent() === 0) await Bun.sleep(1)
    answerVenue()
    const response = await repeated
    expect(response.status).toBe(200)
    expect(sent()).toBe(1)
  })

  test('the next request after the answer: both are answered', async () => {
    answerVenue()
    const signed = envelope(newCaller(), { method: 'POST', path: '/v1/order', body: '{"a":2}' })
    const answer = await exchanged(url, async (send, _end, received) => {
      send(requestOf(JSON.stringify(signed)))
      while (!received().endsWith('}')) await Bun.sleep(1)
      send(NEXT)
    })
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
  })

  test.each([
    ['without a Host', 'GET / HTTP/1.1\r\n\r\n', BARE_REFUSAL],
    ['of no HTTP', 'NONSENSE\r\n\r\n', BARE_REFUSAL],
    ['of another version', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n', 'HTTP/1.1 505 HTTP Version Not'],
    ['of a head too large', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n\r\n`, 'HTTP/1.1 431 Request'],
    ['of an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', ''],
  ])('a request %s is refused by the runtime itself, without a body', async (_, request, line) => {
    const answer = await exchanged(url, async (send) => send(request))
    expect(answer).toStartWith(line)
    if (line) expect(answer).toEndWith('\r\nConnection: close\r\n\r\n')
    else expect(answer).toBe('')
  })
})

function requestOf(body: string): string {
  const lines = [`POST ${RELAY} HTTP/1.1`, 'Host: x', 'Content-Type: application/json']
  return `${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

type Dialogue = (
  send: (text: string) => void,
  end: () => void,
  received: () => string,
) => Promise<void>

/** What a connection answers to a dialogue, until the other side ends it. */
async function exchanged(url: string, dialogue: Dialogue): Promise<string> {
  const { hostname, port } = new URL(url)
  let received = ''
  const closed = Promise.withResolvers<string>()
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
  })
  socket.on('end', () => closed.resolve(received))
  socket.on('error', () => closed.resolve(received))
  const send = (text: string) => void socket.write(text)
  await dialogue(
    send,
    () => void socket.end(),
    () => received,
  )
  const answer = await closed.promise
  socket.destroy()
  return answer
}
