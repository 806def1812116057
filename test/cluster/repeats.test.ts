// Slow: Valkey starts again, and a repeat asks for the first every quarter of a second.
import { expect } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { envelope, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { recordedAnswer } from '../surface/recorded-venue.ts'
import { type Instance, kept, openInstance, startInstance, UNHURRIED } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'repeats at another instance',
  ...VALKEY_PROGRAMS,
)

const FILL = 'order-of-the-first'
const accepted = { json: { success: true, timestamp: 1, data: { order_id: FILL } } } as const
let postgres: SharedPostgres
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
let answer: () => AnswerSpec | Promise<AnswerSpec> = () => accepted
let database = ''
const running: Instance[] = []

beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    sharedPostgres(),
    startValkey(),
    startRecordingUpstream((request) =>
      request.target.startsWith('/v1/order') ? answer() : recordedAnswer(request),
    ),
  ])
  database = await postgres.newDatabase()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((instance) => instance.stop()))
  answer = () => accepted
})
afterAll(async () => {
  await Promise.all([valkey.stop(), venue.stop()])
})

const shared = () => ({ postgres: database, valkey: valkey.url, venue: venue.url })

async function open(nowMs = Date.now): Promise<Instance> {
  const instance = await openInstance(shared(), { ...UNHURRIED, nowMs })
  running.push(instance)
  await instance.sees('valkey', 'back')
  return instance
}

/** A clock that stands still but for what it is moved by. */
function stoppedClock() {
  let atMs = Date.now()
  return {
    nowMs: () => atMs,
    move: (ms: number) => {
      atMs += ms
    },
  }
}

/** Waits until instances have sent each other so many more messages. */
async function messages(count: number): Promise<void> {
  const before = await published()
  await until(async () => (await published()) >= before + count)
}

async function published(): Promise<number> {
  const [, calls = 0] =
    /^cmdstat_publish:calls=(\d+)/m.exec(await valkey.cli('info', 'commandstats')) ?? []
  return Number(calls)
}

const order = () => envelope(newCaller(), { method: 'POST', path: '/v1/order', body: '{"a":1}' })
const orders = () => venue.requests.filter(({ target }) => target.startsWith('/v1/order')).length

describe('a repeat at another instance', () => {
  test('gets what the first was told while Valkey was away, once Valkey is back', async () => {
    const [first, second] = [await open(), await open()]
    await valkey.kill()
    for (const instance of [first, second]) await instance.sees('valkey', 'away')
    const signed = order()
    expect((await first.relay(signed)).body['order_id']).toBe(FILL)
    await valkey.start()
    for (const instance of [first, second]) await instance.sees('valkey', 'back')
    await until(async () => (await valkey.cli('keys', 'prepd:outcome:*')) !== '')
    const repeat = await second.relay(signed)
    expect(repeat).toMatchObject({ status: 200, body: { order_id: FILL } })
    expect(repeat.headers.get('x-prepd-replay')).toBe('true')
  })

  test('waits for a first that is longer at it than a dead one is waited for', async () => {
    const clock = stoppedClock()
    const [first, second] = [await open(), await open(clock.nowMs)]
    const { promise: landed, resolve: land } = Promise.withResolvers<AnswerSpec>()
    answer = () => landed
    const before = orders()
    const signed = order()
    const sent = first.relay(signed)
    await until(async () => orders() > before)
    const repeat = second.relay(signed)
    for (let waitedMs = 0; waitedMs < 2 * LIMITS.peerSilenceMaxMs; waitedMs += 200) {
      // A question who sends it, and the answer.
      await messages(2)
      clock.move(200)
    }
    land(accepted)
    expect(await repeat).toMatchObject({ status: 200, body: { order_id: FILL } })
    expect((await sent).status).toBe(200)
    expect(orders()).toBe(before + 1)
  })

  test('does not wait for an instance that died while it sent the first', async () => {
    const clock = stoppedClock()
    const first = await startInstance(shared())
    const others = [await open(clock.nowMs), await open(clock.nowMs)]
    const { promise: never } = Promise.withResolvers<AnswerSpec>()
    answer = () => never
    const before = orders()
    const signed = order()
    const lost = kept(first, signed).catch(() => null)
    await until(async () => orders() > before)
    await first.kill()
    await lost
    const repeats = Promise.all(others.map(({ relay }) => relay(signed)))
    // Neither takes the other's question for an answer.
    for (let waitedMs = 0; waitedMs < LIMITS.peerSilenceMaxMs; waitedMs += 350) {
      await messages(2)
      clock.move(350)
    }
    for (const { body } of await repeats) expect(body.code).toBe('outcome_unknown')
    expect(orders()).toBe(before + 1)
  })
})
