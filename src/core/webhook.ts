import type { WebhookEvent } from '../contract/webhook.ts'
import type { AccountKey } from './standby.ts'

/** A webhook of an account's owner. */
export type Webhook = {
  readonly id: string
  /** Lower case. */
  readonly accountId: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** The secret that signs the messages; empty if the stored secret cannot be decrypted. */
  readonly secret: string
  readonly createdAtMs: number
  readonly state: 'active' | 'disabled'
  /** Nothing is sent before this time. */
  readonly dueAtMs: number
  /** Failed attempts since the last accepted message. */
  readonly attempts: number
  /** The time since which the webhook has accepted no message; null while it works. */
  readonly failingSinceMs: number | null
  readonly failure: string | null
  readonly deliveredAtMs: number | null
  /** The number of dropped messages. */
  readonly dropped: number
}

/** An event of an account. */
export type AccountEvent = {
  /** Lower case. */
  readonly accountId: string
  readonly event: WebhookEvent
  /** The deduplication key. All instances give the same occurrence the same key. */
  readonly key: string
  /** The JSON that is sent. */
  readonly body: string
  readonly atMs: number
  /** The key is remembered until this time. */
  readonly forgetAtMs: number
}

/** A message that is being sent to a webhook. Its lease lasts until the webhook's `dueAtMs`. */
export type Delivery = { readonly webhook: Webhook; readonly key: string; readonly body: string }

/** The outcome of an attempt, with the new state of its webhook. */
export type Attempt =
  | { readonly taken: true; readonly nowMs: number; readonly dueAtMs: number }
  | {
      readonly taken: false
      readonly nowMs: number
      readonly dueAtMs: number
      readonly failure: string
      readonly state: Webhook['state']
    }

/** The replacement of a webhook's secret: `secret` is the stored secret, `next` the new one. */
export type SecretChange = Pick<Webhook, 'id' | 'secret'> & { readonly next: string }

/** Stores the webhooks of accounts, and their messages until delivery. Throws Failure `store_unavailable`. */
export type WebhookStore = {
  /** Stores a webhook; false if the account already has `rowsMax` webhooks. Durable when the promise resolves. */
  readonly add: (webhook: Webhook, rowsMax: number) => Promise<boolean>
  /** Deletes a webhook of an account with its waiting messages; false without such a webhook. Durable. */
  readonly remove: (accountId: string, id: string) => Promise<boolean>
  /** The webhooks of an account, oldest first, each with the number of waiting messages. */
  readonly list: (accountId: string) => Promise<readonly (Webhook & { readonly waiting: number })[]>
  /** The accounts with active webhooks for an event. */
  readonly accountsFor: (event: WebhookEvent, rowsMax: number) => Promise<readonly string[]>
  /** The proven keys of accounts with active webhooks for an event. */
  readonly keysFor: (event: WebhookEvent, rowsMax: number) => Promise<readonly AccountKey[]>
  /** Stores a message for each active webhook of the event, once per key. Durable. Returns the number of messages. */
  readonly publish: (event: AccountEvent) => Promise<number>
  /** Leases the oldest waiting message of each due webhook until `untilMs`. Instances get different messages. */
  readonly take: (nowMs: number, untilMs: number, rowsMax: number) => Promise<readonly Delivery[]>
  /** The stored secrets of webhooks after an id, in the order of ids. */
  readonly secrets: (
    afterId: string,
    rowsMax: number,
  ) => Promise<readonly Pick<Webhook, 'id' | 'secret'>[]>
  /** Replaces a secret if the stored one is unchanged. Durable. */
  readonly replaceSecret: (change: SecretChange) => Promise<void>
  /** Stores the result of an attempt; changes nothing if another instance has taken over. */
  readonly settle: (delivery: Delivery, attempt: Attempt) => Promise<void>
}
