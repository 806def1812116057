import { expect } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { recordedAnswer } from '../surface/recorded-venue.ts'
import { spawnPrepd } from '../surface/spawned.ts'
import { type Instance, openInstance, UNHURRIED } from './instances.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, afterEach, beforeAll, test } = testsNeeding(
  'answers that instances share',
  ...VALKEY_PROGRAMS,
)

const OPERATOR_KEY = 'operator-key-of-a-test-0123456789abcdef'

let postgres: SharedPostgres
let valkey: RunningValkey
let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
let answer: (request: Recorded) => AnswerSpec | Promise<AnswerSpec> = recordedAnswer
let database = ''
const instances: Instance[] = []
/** When the clock of the instances stands still, and they wait for each other however long that takes; null while it goes. */
let stoppedAtMs: number | null = null

beforeAll(async () => {
  ;[postgres, valkey, venue] = await Promise.all([
    sharedPostgres(),
    startValkey(),
    startRecordingUpstream((request) => answer(request)),
  ])
  database = await postgres.readyDatabase()
  const shared = {
    postgres: database,
    valkey: valkey.url,
    venue: venue.url,
    settings: { OPERATOR_KEY, LOG: 'debug' },
  }
  const nowMs = () => stoppedAtMs ?? Date.now()
  for (let opened = 0; opened < 3; opened += 1)
    instances.push(await openInstance(shared, { ...UNHURRIED, nowMs }))
})
afterEach(() => {
  stoppedAtMs = null
})
afterAll(async () => {
  await Promise.all(instances.map(({ stop }) => stop()))
  await Promise.all([valkey.stop(), venue.stop()])
})

const at = (index: number): Instance => {
  const instance = instances[index]
  if (!instance) throw new Error('no such instance')
  return instance
}
const calls = (path: string) =>
  venue.requests.filter(({ target }) => target.startsWith(path)).length

test('a thousand misses at three instances are one call to the venue, and one answer', async () => {
  answer = (request) => ({ ...Object(recordedAnswer(request)), delayMs: 200 })
  const before = venue.requests.length
  const answers = await Promise.all(
    Array.from({ length: 999 }, (_, asker) => at(asker % 3).get('/api/prep/op/staking.overview')),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(venue.requests.length - before).toBe(1)
})

test('an answer of one instance is had by the others, until one of them forgets all', async () => {
  answer = recordedAnswer
  const path = '/v1/public/token'
  await at(0).get('/api/prep/op/platform.tokens')
  const before = calls(path)
  expect((await at(1).get('/api/prep/op/platform.tokens')).status).toBe(200)
  expect(calls(path)).toBe(before)
  const purged = await at(2).get('/api/admin/cache/purge', {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(purged.status).toBe(200)
  await until(async () => {
    await at(1).get('/api/prep/op/platform.tokens')
    return calls(path) > before
  })
  expect((await at(0).get('/api/prep/op/platform.tokens')).status).toBe(200)
  expect(calls(path)).toBe(before + 1)
})

test('an outage that one instance meets is told to those who wait elsewhere', async () => {
  answer = async () => {
    await Bun.sleep(300)
    return { status: 502, json: {} }
  }
  const before = venue.requests.length
  const path = '/api/prep/op/markets.openInterest'
  const answers = await Promise.all(instances.map(({ get }) => get(path)))
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 502])
  expect(venue.requests.length - before).toBe(1)
})

const ORDER = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
const FILL = 'order-7731-of-nobody-else'
const accepted = { json: { success: true, timestamp: 1, data: { order_id: FILL } } } as const

test('a repeat at another instance waits for the first answer, and gets it', async () => {
  stoppedAtMs = Date.now()
  const { promise: open, resolve: answerNow } = Promise.withResolvers<void>()
  answer = async () => {
    await open
    return accepted
  }
  const caller = newCaller()
  const signed = envelope(caller, ORDER)
  const before = calls('/v1/order')
  const first = at(0).relay(signed)
  await until(async () => calls('/v1/order') > before)
  const repeats = [at(1).relay(signed), at(2).relay(signed)]
  await Bun.sleep(50)
  answerNow()
  expect((await first).headers.get('x-prepd-replay')).toBeNull()
  for (const repeat of await Promise.all(repeats)) {
    expect(repeat).toMatchObject({ status: 200, body: { order_id: FILL } })
    expect(repeat.headers.get('x-prepd-replay')).toBe('true')
  }
  const late = await at(1).relay(signed)
  expect(late.body['order_id']).toBe(FILL)
  expect(calls('/v1/order')).toBe(before + 1)
})

test('a repeat at another instance gets the refusal that the first one got', async () => {
  answer = () => ({ status: 400, json: { success: false, code: -1101, message: 'margin' } })
  const signed = envelope(newCaller(), ORDER)
  const first = await at(0).relay(signed)
  const repeat = await at(1).relay(signed)
  expect(repeat).toMatchObject({ status: first.status, body: first.body })
  expect(repeat.headers.get('x-prepd-replay')).toBe('true')
})

test('a write that was given back is sent by whoever waits for it', async () => {
  stoppedAtMs = Date.now()
  let refused = 0
  answer = async () => {
    refused += 1
    if (refused > 1) return accepted
    await Bun.sleep(300)
    return { status: 429, json: { success: false, code: -1003, message: 'busy' } }
  }
  const signed = envelope(newCaller(), ORDER)
  const first = at(0).relay(signed)
  await until(async () => refused === 1)
  const repeat = await at(1).relay(signed)
  expect((await first).status).toBe(503)
  expect(repeat).toMatchObject({ status: 200, body: { order_id: FILL } })
  expect(refused).toBe(2)
})

test('the text of another account gets nothing of it', async () => {
  answer = () => accepted
  const caller = newCaller()
  const signed = envelope(caller, ORDER)
  await at(0).relay(signed)
  const other = { ...signed, auth: { ...signed.auth, accountId: newCaller().accountId } }
  const stolen = await at(1).relay(other)
  expect(stolen).toMatchObject({ status: 409, body: { code: 'duplicate_request' } })
})

test('a dump of the engine reads neither answers of writes nor signatures', async () => {
  answer = () => accepted
  const signed = envelope(newCaller(), ORDER)
  await at(0).relay(signed)
  await until(async () => (await valkey.cli('keys', 'prepd:outcome:*')) !== '')
  const dump = await valkey.dump()
  expect(dump).toContain('prepd:outcome:')
  expect(dump).not.toContain(FILL)
  const { signature } = signed.auth
  for (const text of [
    signature,
    Buffer.from(signature, 'base64url').toString('hex'),
    'PERP_ETH_USDC"}',
  ])
    expect(dump).not.toContain(text)
})

test('no password is in a log, in what is shown of the settings or in an error', async () => {
  for (const { log } of instances) {
    expect(log()).not.toContain(valkey.password)
    expect(log()).not.toContain('hunter2')
  }
  const settings = { VALKEY: valkey.url, POSTGRES: database, VENUE: 'https://venue.example' }
  const show = spawnPrepd({ argv: ['--mode', 'admin', 'config', 'show', '--origin'], settings })
  const { stdout, stderr } = await show.ended()
  expect(stdout).toMatch(/^VALKEY +environment +set$/m)
  const twice = { ...settings, VALKEY: `${valkey.url}?nonsense` }
  const refused = await spawnPrepd({ settings: twice }).ended()
  expect(refused.code).toBe(64)
  for (const text of [stdout, stderr, refused.stdout, refused.stderr]) {
    expect(text).not.toContain(valkey.password)
    expect(text).not.toContain('hunter2')
  }
})
