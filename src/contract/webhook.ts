import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'
import { oneOf } from './envelope.ts'

/** The path of wallets' actions on webhooks of their accounts. */
export const WEBHOOK_PATH = '/api/prep/webhook'

/** Bounds of webhooks of accounts. */
export const WEBHOOK = {
  perAccountMax: 3,
  urlMaxChars: 512,
  secretBytes: 32,
  /** Maximum number of messages that wait per webhook. Further messages are dropped. */
  waitingMax: 100,
  /** How long a message is retried before it is dropped. */
  keptMs: DAY_MS,
  /** How long an event's deduplication key is kept, so that only one instance sends the event. */
  rememberedMs: HOUR_MS,
  /** A webhook that accepts no message for this long is disabled. */
  failingMaxMs: 3 * DAY_MS,
  /** Minimum interval between two messages of a webhook. */
  pauseMs: SECOND_MS,
  retryAfterMs: [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
  deadlineMs: 10 * SECOND_MS,
  /** Lease of an instance on a message. */
  leaseMs: 30 * SECOND_MS,
  deliverEveryMs: SECOND_MS,
  deliveriesMax: 32,
  /** Remaining lifetimes of a key at which an event is sent, in ascending order. */
  keyEndsWithinMs: [DAY_MS, 7 * DAY_MS],
  keysEveryMs: HOUR_MS,
  /** How often executions of the embedded venue are polled. */
  executionsEveryMs: 2 * SECOND_MS,
  /** Maximum number of accounts and keys per pass. */
  accountsMax: 1000,
  keysMax: 5000,
} as const

/** Events of an account that prepd can observe without its key. */
export const WEBHOOK_EVENTS = [
  'key.expiring',
  'standby.fired',
  'approval.wanted',
  'order.filled',
  'position.liquidated',
] as const

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** The id of a webhook: 128 random bits. */
export const WEBHOOK_ID = '^[0-9a-f]{32}$'

export const WEBHOOK_ACTIONS = ['add', 'delete', 'list'] as const

export const WebhookEvents = Type.Array(oneOf(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  uniqueItems: true,
  description: 'The events that it is called for.',
})

export const WebhookUrl = Type.String({
  maxLength: WEBHOOK.urlMaxChars,
  pattern: '^https://',
  description: 'Where it is called: https, a public host by name, port 443.',
})

const time = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds.` })

const WebhookRow = Type.Object({
  id: Type.String({ pattern: WEBHOOK_ID }),
  url: WebhookUrl,
  events: WebhookEvents,
  state: oneOf(
    ['active', 'disabled'],
    'A webhook that has taken nothing for three days is disabled; delete it and add it again.',
  ),
  createdAtMs: time('When it was added'),
  deliveredAtMs: Type.Optional(time('When it last took a message')),
  failingSinceMs: Type.Optional(time('Start of its failures; absent while it accepts messages')),
  failure: Type.Optional(
    Type.String({
      description: 'Reason of its failures, such as http_500, timeout or unreachable.',
    }),
  ),
  waiting: Type.Integer({ description: 'Messages that wait for it.' }),
  dropped: Type.Integer({
    description: 'Messages that were not delivered within a day, or were too many.',
  }),
})

/** The webhooks of an account. Only the answer that adds a webhook also has the secret of the webhook. */
export const WebhookAnswer = Type.Object({
  webhooks: Type.Array(WebhookRow),
  added: Type.Optional(
    Type.Object({
      id: Type.String({ pattern: WEBHOOK_ID }),
      secret: Type.String({
        description:
          'Key of its signatures (Standard Webhooks): whsec_ and base64. It is given once.',
      }),
    }),
  ),
})

export type WebhookAnswer = Static<typeof WebhookAnswer>
