import type { TypedDataBody } from '../../contract/typed-data.ts'
import type { WebhookBody } from '../../contract/wallet-messages.ts'
import { WEBHOOK, type WebhookAnswer } from '../../contract/webhook.ts'
import { withoutBrackets } from '../../core/base-url.ts'
import { ipVersion } from '../../core/client-address.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { serviceTypedData } from '../../core/crypto/service-typed-data.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { toHex, toPrefixedHex } from '../../core/hex.ts'
import type { Random, Store } from '../../core/ports.ts'
import type { Webhook } from '../../core/webhook.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { Operator } from '../venue/operator-call.ts'
import type { AccountEvents } from '../webhook/events.ts'
import { assertAccount } from './registration.ts'
import { claimDigest } from './trading-key.ts'
import {
  accountNamed,
  assertOwnHost,
  assertWalletSigned,
  type WalletCallAccess,
} from './wallet-call.ts'

/** Access for webhooks that a wallet manages. */
export type WalletWebhookAccess = Omit<WalletCallAccess, 'operator' | 'store'> & {
  readonly operator: Pick<Operator, 'brokerId' | 'serviceName' | 'hosts'>
  readonly store: WalletCallAccess['store'] & Pick<Store, 'webhooks'>
  readonly random: Random
  readonly events: Pick<AccountEvents, 'isOn'>
}

type Message = WebhookBody['message']

/**
 * The message with which a wallet adds, deletes or lists webhooks of its account: `{typedData, message, digest}`. The
 * message contains the requested host name. Throws Failure: not_configured if webhooks are off, forbidden for a host
 * name of a different service, invalid_request for a URL that may not be called.
 */
export async function webhookToSign(
  deps: WalletWebhookAccess,
  { kind: _, address, ...asked }: Extract<TypedDataBody, { kind: 'webhook' }>,
  service: string,
) {
  assertOn(deps)
  assertOwnHost(deps.operator, service)
  assertAct(asked, '')
  const account = mainAccountId(address, deps.operator.brokerId)
  const message = { ...asked, account, service, timestamp: deps.clock.nowMs() }
  const { typedData, digest } = webhookDocument(deps, message)
  return { typedData, message, digest: toPrefixedHex(digest) }
}

/**
 * Adds, deletes or lists webhooks of the wallet's account. The answer lists the account's webhooks afterwards. The
 * secret of a new webhook is returned only here. Throws Failure:
 * - not_configured, forbidden, expired_signature, invalid_request, invalid_signature.
 * - not_found for a wallet without an account, and for a webhook that is not the account's.
 * - duplicate_request for a message that was used before.
 */
export async function signWebhook(deps: WalletWebhookAccess, body: WebhookBody): Promise<Answer> {
  const { message, address } = body
  assertOn(deps)
  const accountId = accountNamed(deps, body, deps.clock.nowMs())
  assertAct(message, 'message.')
  const { digest } = webhookDocument(deps, message)
  assertWalletSigned(digest, body)
  if (message.action === 'list') return showWebhooks(deps, accountId)
  if (message.action === 'add') await assertAccount(deps, address)
  await claimDigest(deps, 'webhook', { digest, address, timestampMs: message.timestamp })
  if (message.action === 'add') return addWebhook(deps, accountId, message)
  if (!(await deps.store.webhooks.remove(accountId, message.webhook ?? '')))
    throw new Failure('not_found')
  return showWebhooks(deps, accountId)
}

async function addWebhook(
  deps: WalletWebhookAccess,
  accountId: string,
  message: Message,
): Promise<Answer> {
  const { random, clock, store } = deps
  const { url = '', events = [] } = message
  const secret = `whsec_${Buffer.from(random.bytes(WEBHOOK.secretBytes)).toString('base64')}`
  const nowMs = clock.nowMs()
  const webhook: Webhook = {
    ...{ id: toHex(random.bytes(ID_BYTES)), accountId, url, events, secret },
    ...{ createdAtMs: nowMs, state: 'active', dueAtMs: nowMs, attempts: 0 },
    ...{ failingSinceMs: null, failure: null, deliveredAtMs: null, dropped: 0 },
  }
  if (!(await store.webhooks.add(webhook, WEBHOOK.perAccountMax)))
    throw new Failure('forbidden', { reason: 'too_many', max: WEBHOOK.perAccountMax })
  return showWebhooks(deps, accountId, { id: webhook.id, secret })
}

const ID_BYTES = 16

async function showWebhooks(
  deps: WalletWebhookAccess,
  accountId: string,
  added?: WebhookAnswer['added'],
): Promise<Answer> {
  const rows = await deps.store.webhooks.list(accountId)
  const answer: WebhookAnswer = { webhooks: rows.map(shownWebhook), ...(added && { added }) }
  return privateAnswer(deps, answer)
}

function shownWebhook(
  row: Webhook & { readonly waiting: number },
): WebhookAnswer['webhooks'][number] {
  const { id, url, events, state, createdAtMs, waiting, dropped } = row
  const { deliveredAtMs, failingSinceMs, failure } = row
  return {
    ...{ id, url, events: [...events], state, createdAtMs, waiting, dropped },
    ...(deliveredAtMs !== null && { deliveredAtMs }),
    ...(failingSinceMs !== null && { failingSinceMs }),
    ...(failure !== null && { failure }),
  }
}

function assertOn({ events }: WalletWebhookAccess): void {
  if (!events.isOn) throw new Failure('not_configured')
}

/** Throws invalid_request for a missing field, and for a field that the action does not have. */
function assertAct({ action, url, events, webhook }: Partial<Message>, prefix: string): void {
  const given = { url, events, webhook }
  for (const [name, value] of Object.entries(given)) {
    const isOf = name === 'webhook' ? action === 'delete' : action === 'add'
    if (isOf && value === undefined) throw invalidParameter(`${prefix}${name}`, 'missing')
    if (!isOf && value !== undefined) throw invalidParameter(`${prefix}${name}`, 'conflicting')
  }
  if (url !== undefined && !mayBeCalled(url))
    throw invalidParameter(`${prefix}url`, 'malformed', { expected: EXPECTED })
}

const EXPECTED = 'https, a public host by name, port 443, no user, no fragment'

/** Whether a URL may be called, by its text. Each call also checks the addresses of the host. */
function mayBeCalled(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.href !== text) return false
  const { hostname, port, username, password, hash } = url
  const isName = hostname.includes('.') && ipVersion(withoutBrackets(hostname)) === 0
  return isName && [port, username, password, hash].every((part) => part === '')
}

function webhookDocument({ operator }: WalletWebhookAccess, message: Message) {
  const { chainId, account, service, action, url = '', events = [], webhook = '' } = message
  const { timestamp } = message
  return serviceTypedData(
    'Webhook',
    { account, service, action, url, events: events.join(', '), webhook, timestamp },
    { service: operator.serviceName, chainId },
  )
}
