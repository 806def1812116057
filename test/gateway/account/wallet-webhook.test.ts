import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashTypedData } from 'viem'
import { REASONS } from '../../../src/contract/failures.ts'
import type { TypedDataBody } from '../../../src/contract/typed-data.ts'
import type { WebhookBody } from '../../../src/contract/wallet-messages.ts'
import { WEBHOOK, type WebhookEvent } from '../../../src/contract/webhook.ts'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import { signDigest, toWalletAddress } from '../../../src/core/crypto/wallet-signature.ts'
import type { Store } from '../../../src/core/ports.ts'
import { typedData } from '../../../src/gateway/account/typed-data.ts'
import { signWebhook } from '../../../src/gateway/account/wallet-webhook.ts'
import { CONTROL_CHANGES } from '../../../src/gateway/controls/controls.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { openInstance } from '../standby/instance.ts'

const START_MS = 1_800_000_000_000
const WALLET = new Uint8Array(32).fill(7)
const STRANGER = new Uint8Array(32).fill(8)
const URL = 'https://hooks.example.com/prepd?room=1'
const EVENTS: WebhookEvent[] = ['key.expiring', 'order.filled']

let nowMs: number
let store: Store
let hasAccount: boolean
let instance: Awaited<ReturnType<typeof openInstance>>

function openOn(webhooks: boolean) {
  return openInstance({
    store,
    webhooks,
    nowMs: () => nowMs,
    send: async ({ path }) => {
      if (!path.startsWith('/v1/get_account?')) throw new RangeError(path)
      return hasAccount
        ? { status: 200, body: '{"success":true,"data":{"account_id":"0x"}}' }
        : { status: 400, body: '{"success":false,"code":-1006,"message":"account not found"}' }
    },
  })
}

beforeEach(async () => {
  nowMs = START_MS
  hasAccount = true
  store = openSqlite(':memory:', 0)
  instance = await openOn(true)
})
afterEach(() => store.close())

function answered(answer: Promise<{ readonly reply: { readonly text: () => string } }>) {
  return answer.then(
    ({ reply }) => JSON.parse(reply.text()),
    ({ code, meta }) => ({ code, ...meta }),
  )
}

type Asked = Omit<Extract<TypedDataBody, { kind: 'webhook' }>, 'kind' | 'chainId' | 'address'>

const ADD = { action: 'add', url: URL, events: EVENTS } as const satisfies Asked

function toSign(asked: Asked, wallet = WALLET, host = 'localhost') {
  const address = toWalletAddress(wallet)
  const body = { kind: 'webhook', chainId: 42_161, address, ...asked } as const
  return answered(typedData(instance.gateway, body, host))
}

/** The body that a wallet makes of what it was given: it hashes the document by itself. */
function signed(
  typed: { typedData: string; message: WebhookBody['message'] },
  secret = WALLET,
  address = toWalletAddress(secret),
): WebhookBody {
  const digest = Buffer.from(hashTypedData(JSON.parse(typed.typedData)).slice(2), 'hex')
  return { message: typed.message, signature: signDigest(digest, secret), address }
}

const post = (body: WebhookBody) => answered(signWebhook(instance.gateway, body))
async function act(asked: Asked, wallet = WALLET) {
  nowMs += 1
  return post(signed(await toSign(asked, wallet), wallet))
}

describe('a wallet', () => {
  test('reads in its document what it asks for, adds a webhook, and gets its secret once', async () => {
    const { typedData: text } = await toSign(ADD)
    const { domain, message, primaryType } = JSON.parse(text)
    expect([primaryType, domain.name]).toEqual(['Webhook', 'prepd'])
    expect(message).toMatchObject({ action: 'add', url: URL, events: 'key.expiring, order.filled' })
    const { added, webhooks } = await act(ADD)
    expect(Buffer.from(added.secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    const row = { id: added.id, url: URL, events: EVENTS, state: 'active', waiting: 0, dropped: 0 }
    expect(webhooks).toEqual([{ ...row, createdAtMs: START_MS + 1 }])
    const listed = await act({ action: 'list' })
    expect(listed).toEqual({ webhooks })
    expect(JSON.stringify(listed)).not.toContain('whsec_')
    expect(await act({ action: 'delete', webhook: added.id })).toEqual({ webhooks: [] })
    expect(await act({ action: 'delete', webhook: added.id })).toEqual({ code: 'not_found' })
  })

  test('has so many, sees none of another account and deletes none of it', async () => {
    for (let count = 1; count <= WEBHOOK.perAccountMax; count += 1)
      expect((await act(ADD)).webhooks).toHaveLength(count)
    const full = { code: 'forbidden', reason: 'too_many', max: WEBHOOK.perAccountMax }
    expect(await act(ADD)).toEqual(full)
    expect(REASONS.too_many.codes).toContain('forbidden')
    const { webhooks } = await act({ action: 'list' })
    expect(await act({ action: 'list' }, STRANGER)).toEqual({ webhooks: [] })
    const stolen = await act({ action: 'delete', webhook: webhooks[0].id }, STRANGER)
    expect(stolen).toEqual({ code: 'not_found' })
    expect((await act({ action: 'list' })).webhooks).toHaveLength(WEBHOOK.perAccountMax)
  })
})

describe('it is refused', () => {
  test('where the operator has not switched webhooks on', async () => {
    const body = signed(await toSign(ADD))
    instance = await openOn(false)
    expect(await toSign(ADD)).toEqual({ code: 'not_configured' })
    expect(await post(body)).toEqual({ code: 'not_configured' })
  })

  test.each([
    ['http://hooks.example.com/'],
    ['https://127.0.0.1/'],
    ['https://2130706433/'],
    ['https://8.8.8.8/'],
    ['https://[2606:4700::1111]/'],
    ['https://localhost/'],
    ['https://intranet/'],
    ['https://user:secret@hooks.example.com/'],
    ['https://hooks.example.com:8443/'],
    ['https://hooks.example.com/#part'],
    ['https://hooks.example.com/a b'],
    ['https://HOOKS.example.com/'],
  ])('of the URL %s', async (url) => {
    const refused = { code: 'invalid_request', parameter: 'url', reason: 'malformed' }
    expect(await toSign({ ...ADD, url })).toMatchObject(refused)
    const typed = await toSign(ADD)
    const document = JSON.parse(typed.typedData)
    const foreign = {
      message: { ...typed.message, url },
      typedData: JSON.stringify({ ...document, message: { ...document.message, url } }),
    }
    expect(await post(signed(foreign))).toMatchObject({ ...refused, parameter: 'message.url' })
    expect(await post(signed(typed))).toMatchObject({ webhooks: [{ url: URL }] })
  })

  test.each<[string, Asked, string]>([
    ['add without a URL', { action: 'add', events: EVENTS }, 'url'],
    ['add without events', { action: 'add', url: URL }, 'events'],
    ['delete without an id', { action: 'delete' }, 'webhook'],
    ['list with a URL', { action: 'list', url: URL }, 'url'],
    ['add with an id', { ...ADD, webhook: '0'.repeat(32) }, 'webhook'],
  ])('%s', async (_, asked, parameter) => {
    expect(await toSign(asked)).toMatchObject({ code: 'invalid_request', parameter })
  })

  test('of another wallet, account, service or time, and a second time', async () => {
    const typed = await toSign(ADD)
    const own = toWalletAddress(WALLET)
    expect(await post(signed(typed, STRANGER, own))).toEqual({ code: 'invalid_signature' })
    expect(await post(signed(typed, STRANGER))).toMatchObject({ parameter: 'message.account' })
    expect(await toSign(ADD, WALLET, 'other.example.com')).toMatchObject({ reason: 'foreign_host' })
    const service = 'other.example.com'
    const foreign = signed({ ...typed, message: { ...typed.message, service } })
    expect(await post(foreign)).toMatchObject({ parameter: 'message.service' })
    const body = signed(typed)
    nowMs += 300_001
    expect(await post(body)).toMatchObject({ code: 'expired_signature', reason: 'clock' })
    nowMs -= 1
    expect((await post(body)).webhooks).toHaveLength(1)
    expect(await post(body)).toEqual({ code: 'duplicate_request' })
    const accountId = mainAccountId(own, instance.gateway.operator.brokerId)
    expect(await store.webhooks.list(accountId)).toHaveLength(1)
  })

  test('of a wallet without an account, which would fill the store, and of a blocked one', async () => {
    hasAccount = false
    expect(await act(ADD)).toEqual({ code: 'not_found' })
    hasAccount = true
    const block = [CONTROL_CHANGES.block(toWalletAddress(WALLET), 1)]
    const audited = { atMs: 0, act: 'blocks', fields: {}, fingerprint: '' }
    await instance.gateway.controls.commit(audited, block)
    expect(await act(ADD)).toMatchObject({ code: 'forbidden', reason: 'blocked' })
  })
})
