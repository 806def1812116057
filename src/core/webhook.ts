import type { WebhookEvent } from '../contract/webhook.ts'
import type { KeyPair } from './standby.ts'

/** Where the owner of an account wants to be called. */
export type Webhook = {
  readonly id: string
  /** Lower case. */
  readonly accountId: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** Signs its messages, as the owner has it; empty where the store holds it encrypted and no key decrypts it. */
  readonly secret: string
  readonly createdAtMs: number
  readonly state: 'active' | 'disabled'
  /** Nothing is sent before this time. */
  readonly dueAtMs: number
  /** Failed attempts since the last message that was taken. */
  readonly attempts: number
  /** Since when it accepts nothing; null while it does. */
  readonly failingSinceMs: number | null
  readonly failure: string | null
  readonly deliveredAtMs: number | null
  /** Messages that were given up. */
  readonly dropped: number
}

/** Something that has happened to an account. */
export type AccountEvent = {
  /** Lower case. */
  readonly accountId: string
  readonly event: WebhookEvent
  /** The same for the same occurrence, whichever instance sees it. */
  readonly key: string
  /** The JSON that is sent. */
  readonly body: string
  readonly atMs: number
  /** The key is remembered until this time. */
  readonly forgetAtMs: number
}

/** A message that is being sent to a webhook, which nobody else sends before `dueAtMs` of the webhook. */
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

/** A stored secret, and its replacement. */
export type SecretChange = Pick<Webhook, 'id' | 'secret'> & { readonly next: string }

/** Webhooks of accounts and the messages that wait for them. Throws Failure `store_unavailable`. */
export type WebhookStore = {
  /** Stores one; false where the account has `rowsMax` of them. On the disk when its promise is kept. */
  readonly add: (webhook: Webhook, rowsMax: number) => Promise<boolean>
  /** Deletes one of an account with what waits for it; false where there is none. Durable. */
  readonly remove: (accountId: string, id: string) => Promise<boolean>
  /** The webhooks of an account, the oldest first, and how many messages wait for each. */
  readonly list: (accountId: string) => Promise<readonly (Webhook & { readonly waiting: number })[]>
  /** The accounts with active webhooks for an event. */
  readonly accountsFor: (event: WebhookEvent, rowsMax: number) => Promise<readonly string[]>
  /** The proven keys of accounts with active webhooks for an event. */
  readonly keysFor: (event: WebhookEvent, rowsMax: number) => Promise<readonly KeyPair[]>
  /** Stores a message for each active webhook that wants the event, once for its key. Durable. Answers how many. */
  readonly publish: (event: AccountEvent) => Promise<number>
  /** Takes the oldest waiting message of each webhook that is due, until a time; instances get different ones. */
  readonly take: (nowMs: number, untilMs: number, rowsMax: number) => Promise<readonly Delivery[]>
  /** Secrets as they are stored, of the webhooks after an id, in the order of their ids. */
  readonly secrets: (
    afterId: string,
    rowsMax: number,
  ) => Promise<readonly Pick<Webhook, 'id' | 'secret'>[]>
  /** Replaces a secret that is still stored so. Durable. */
  readonly replaceSecret: (change: SecretChange) => Promise<void>
  /** Stores the end of an attempt; nothing where another instance has taken over meanwhile. */
  readonly settle: (delivery: Delivery, attempt: Attempt) => Promise<void>
}
