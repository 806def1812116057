import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { WEBHOOK } from '../../../src/contract/webhook.ts'
import { webhookSignature } from '../../../src/core/crypto/webhook.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { Store } from '../../../src/core/ports.ts'
import { isPublicAddress } from '../../../src/core/public-address.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { createAccountEvents } from '../../../src/gateway/webhook/events.ts'
import { createAccountWebhooks } from '../../../src/operator/notify/account-webhooks.ts'
import { PUBLIC_REACH, type PublicReach } from '../../../src/operator/notify/public-https.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import selfSigned from '../../vectors/self-signed.json'

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const START_MS = 1_800_000_000_000

type Got = { readonly path: string; readonly headers: Headers; readonly body: string }

let nowMs: number
let store: Store
let got: Got[]
let answer: () => Response
let server: ReturnType<typeof startReceiver>
let meter: ReturnType<typeof createMeter>
let lines: object[]
let publish: ReturnType<typeof createAccountEvents>['publish']

/** A real receiver behind TLS, whose certificate is of localhost. */
function startReceiver() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: selfSigned.certificate, key: selfSigned.key },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      got.push({ path: pathname + search, headers: request.headers, body: await request.text() })
      return answer()
    },
  })
}

beforeEach(async () => {
  ;[nowMs, got, lines] = [START_MS, [], []]
  answer = () => new Response(null, { status: 204 })
  server = startReceiver()
  store = openSqlite(':memory:', 0)
  meter = createMeter(() => 0)
  publish = createAccountEvents({
    ...common(),
    scrub: createScrub({ names: [] }),
    isOn: true,
  }).publish
  await add('https://localhost/hook?a=1')
})
afterEach(async () => {
  store.close()
  await server.stop(true)
})

function common() {
  const log = (event: string, fields?: object) => void lines.push({ event, ...fields })
  return {
    ...{ store, meter, clock: { nowMs: () => nowMs } },
    log: { error: log, warn: log, info: log, debug: log },
  }
}

function add(url: string, id = 'w1') {
  const times = { createdAtMs: nowMs, dueAtMs: nowMs, failingSinceMs: null, deliveredAtMs: null }
  const own = { id, url, accountId: 'account', secret: SECRET, events: ['order.filled'] } as const
  const calm = { state: 'active', attempts: 0, failure: null, dropped: 0 } as const
  return store.webhooks.add({ ...own, ...times, ...calm }, WEBHOOK.perAccountMax)
}

/** The only difference from the real thing: the receiver's address and port are allowed, and who signs its certificate. */
function reach(own: Partial<PublicReach> = {}): PublicReach {
  return {
    lookup: async () => ['127.0.0.1'],
    isAllowed: (address) => address === '127.0.0.1',
    port: server.port ?? 0,
    ca: selfSigned.certificate,
    ...own,
  }
}

const deliver = (own: Partial<PublicReach> = {}) =>
  createAccountWebhooks({ ...common(), reach: reach(own) })()
const fill = (id: number) =>
  publish({ accountId: 'account', event: 'order.filled', key: `fill ${id}`, data: { id } })
const shown = async () => (await store.webhooks.list('account'))[0]

describe('a message', () => {
  test('arrives once, signed with the secret of its webhook, and says what happened when', async () => {
    await fill(7)
    await Promise.all([deliver(), deliver()])
    await deliver()
    const [one] = got
    expect(got).toHaveLength(1)
    expect(JSON.parse(one?.body ?? '')).toEqual({
      ...{ type: 'order.filled', timestamp: new Date(START_MS).toISOString() },
      data: { account: 'account', id: 7 },
    })
    const id = one?.headers.get('webhook-id') ?? ''
    const signed = { id, seconds: START_MS / 1000, body: one?.body ?? '' }
    const expected = webhookSignature(Buffer.alloc(32, 5), signed)
    expect(one?.headers.get('webhook-signature')).toBe(expected)
    expect([one?.path, one?.headers.get('host')]).toEqual(['/hook?a=1', 'localhost'])
    expect(await shown()).toMatchObject({ deliveredAtMs: START_MS, waiting: 0 })
  })

  test('that was not taken comes again under the same id, later and later, before the next one', async () => {
    answer = () => new Response('', { status: 500 })
    await fill(1)
    await fill(2)
    let dueMs = START_MS
    for (const waitMs of WEBHOOK.retryAfterMs) {
      await deliver()
      dueMs += waitMs
      nowMs = dueMs - 1
      await deliver()
      nowMs = dueMs
    }
    expect(got).toHaveLength(WEBHOOK.retryAfterMs.length)
    expect(await shown()).toMatchObject({ failure: 'http_500', failingSinceMs: START_MS })
    answer = () => new Response('thanks', { status: 200 })
    await deliver()
    nowMs += WEBHOOK.pauseMs
    await deliver()
    const ids = got.map(({ headers }) => headers.get('webhook-id'))
    expect(new Set(ids.slice(0, -1)).size).toBe(1)
    expect(ids.at(-1)).not.toBe(ids[0])
    expect(await shown()).toMatchObject({ failure: null, failingSinceMs: null, waiting: 0 })
  })

  test('that an instance did not finish is sent by another after its lease, under the same id', async () => {
    await fill(1)
    await store.webhooks.take(nowMs, nowMs + WEBHOOK.leaseMs, 1)
    await deliver()
    expect(got).toHaveLength(0)
    nowMs += WEBHOOK.leaseMs
    await deliver()
    expect(got).toHaveLength(1)
  })

  test('has no name of the venue in it, nor does what is logged hold its address or secret', async () => {
    answer = () => new Response('', { status: 500 })
    const data = { broker_id: 'someone', orderly_key: 'ed25519:x', venue: 'Orderly' }
    await publish({ accountId: 'account', event: 'order.filled', key: 'k', data })
    await deliver()
    expect(got[0]?.body).not.toMatch(/orderly|broker/i)
    const logged = JSON.stringify(lines)
    expect(logged).toContain('webhook_not_delivered')
    expect(logged).not.toMatch(/localhost|whsec_|hook\?/)
  })
})

describe('nothing is sent', () => {
  const failureWith = async (own: Partial<PublicReach>) => {
    await fill(1)
    await deliver(own)
    return (await shown())?.failure
  }

  test('to an address that is not public, which the owner does not learn', async () => {
    expect(await failureWith({ isAllowed: isPublicAddress })).toBe('unreachable')
    expect(got).toHaveLength(0)
  })

  test('to a host of which one address is not public, in whatever order', async () => {
    const isAllowed = (address: string) => address === '127.0.0.1'
    for (const addresses of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      expect(await failureWith({ isAllowed, lookup: async () => addresses })).toBe('unreachable')
      nowMs += WEBHOOK.failingMaxMs / 4
    }
    expect(got).toHaveLength(0)
  })

  test('to a name that is bound to another address between two looks: there is one look a call', async () => {
    const answers = ['127.0.0.1', '127.0.0.2']
    let looks = 0
    const lookup = async () => [answers[looks++] ?? '127.0.0.2']
    expect(await failureWith({ lookup })).toBeNull()
    expect([got.length, looks]).toEqual([1, 1])
    nowMs += WEBHOOK.pauseMs
    await fill(2)
    await deliver({ lookup: async () => ['127.0.0.2'] })
    expect((await shown())?.failure).toBe('unreachable')
    expect(got).toHaveLength(1)
  })

  test('to a host whose certificate is of another name, or of nobody’s', async () => {
    await store.webhooks.remove('account', 'w1')
    await add('https://hooks.example.com/')
    expect(await failureWith({})).toBe('unreachable')
    nowMs += 60_000
    await store.webhooks.remove('account', 'w1')
    await add('https://localhost/')
    const { ca: _, ...trusting } = reach()
    await fill(3)
    await createAccountWebhooks({ ...common(), reach: trusting })()
    expect((await shown())?.failure).toBe('unreachable')
    expect(got).toHaveLength(0)
  })

  test('to where a redirect leads', async () => {
    const headers = { location: `https://localhost:${server.port}/other` }
    answer = () => new Response('', { status: 307, headers })
    expect(await failureWith({})).toBe('http_307')
    expect(got.map(({ path }) => path)).toEqual(['/hook?a=1'])
  })

  test('to a name that nobody knows', async () => {
    expect(await failureWith({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })).toBe(
      'unreachable',
    )
  })

  test('outside of tests anywhere but to port 443 of public addresses', () => {
    expect(PUBLIC_REACH.port).toBe(443)
    expect(PUBLIC_REACH.isAllowed).toBe(isPublicAddress)
    expect(PUBLIC_REACH.ca).toBeUndefined()
  })
})

test('a webhook that takes nothing for three days is disabled, which its owner sees', async () => {
  answer = () => new Response('', { status: 410 })
  await fill(1)
  await deliver()
  nowMs = START_MS + WEBHOOK.failingMaxMs - 1
  await deliver()
  expect(await shown()).toMatchObject({ state: 'active' })
  nowMs = START_MS + 2 * WEBHOOK.failingMaxMs
  await deliver()
  expect(await shown()).toMatchObject({ state: 'disabled', failure: 'http_410' })
  expect(lines).toContainEqual({ event: 'webhook_disabled', webhook: 'w1', failure: 'http_410' })
  await fill(2)
  expect(got).toHaveLength(3)
  expect(await shown()).toMatchObject({ waiting: 1 })
  const counted = meter.samples('prepd_webhook_messages_total')
  expect(counted.map(({ value }) => value)).toEqual([1, 3])
})
