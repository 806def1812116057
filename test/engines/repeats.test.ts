// Slow: a repeat waits 700 ms for the first, of executables that start for each test.
import { expect } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { recordedAnswer } from '../surface/recorded-venue.ts'
import { timed } from './away.ts'
import { type InstanceProcess, startInstance } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'repeats at another instance',
  ...VALKEY_PROGRAMS,
)

const FILL = 'order-of-the-first'
const accepted = { json: { success: true, timestamp: 1, data: { order_id: FILL } } } as const
/** What a repeat may take on a machine that does nothing else; the wait itself is 700 ms. */
const REPEAT_MAX_MS = Number(process.env['PREPD_TEST_REPEAT_MAX_MS'] ?? 5000)

let postgres: SharedPostgres
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
let answer: () => AnswerSpec | Promise<AnswerSpec> = () => accepted
let database = ''
const running: InstanceProcess[] = []

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

async function open(): Promise<InstanceProcess> {
  const instance = await startInstance({
    postgres: database,
    valkey: valkey.url,
    venue: venue.url,
  })
  running.push(instance)
  await instance.sees('valkey', 'back')
  return instance
}

const order = () => envelope(newCaller(), { method: 'POST', path: '/v1/order', body: '{"a":1}' })
const orders = () => venue.requests.filter(({ target }) => target.startsWith('/v1/order')).length

describe('a repeat at another instance', () => {
  test('gets what the first was told while Valkey was away, once Valkey is back', async () => {
    const [first, second] = [await open(), await open()]
    await valkey.kill()
    await first.sees('valkey', 'away')
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
    const [first, second] = [await open(), await open()]
    answer = () => ({ ...accepted, delayMs: 1200 })
    const before = orders()
    const signed = order()
    const sent = first.relay(signed)
    await until(async () => orders() > before)
    const repeat = await second.relay(signed)
    expect(repeat).toMatchObject({ status: 200, body: { order_id: FILL } })
    expect((await sent).status).toBe(200)
    expect(orders()).toBe(before + 1)
  })

  test('does not wait for an instance that died while it sent the first', async () => {
    const [first, second, third] = [await open(), await open(), await open()]
    const { promise: never } = Promise.withResolvers<AnswerSpec>()
    answer = () => never
    const before = orders()
    const signed = order()
    const lost = first.relay(signed).catch(() => null)
    await until(async () => orders() > before)
    running.splice(running.indexOf(first), 1)
    await first.kill()
    await lost
    const tookMs = await timed(async () => {
      // Neither takes the other's question for an answer.
      const repeats = await Promise.all([second, third].map(({ relay }) => relay(signed)))
      for (const { body } of repeats) expect(body.code).toBe('outcome_unknown')
    })
    expect(tookMs).toBeLessThan(REPEAT_MAX_MS)
    expect(orders()).toBe(before + 1)
  })
})
