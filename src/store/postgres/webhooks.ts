import type { KeyPair } from '../../core/standby.ts'
import type { Attempt, Delivery, Webhook, WebhookStore } from '../../core/webhook.ts'
import { WEBHOOK } from '../../spec/webhook.ts'
import { rowOf, wanted, webhookOf } from '../webhooks.ts'
import type { Statement, Values } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const COLUMNS = `id, account_id AS "accountId", url, events, secret, created_at_ms::float8 AS "createdAtMs",
  state, due_at_ms::float8 AS "dueAtMs", attempts, failing_since_ms::float8 AS "failingSinceMs", failure,
  delivered_at_ms::float8 AS "deliveredAtMs", dropped::float8 AS dropped`

const WAITING = `(SELECT count(*) FROM prepd_webhook_messages AS m
  WHERE m.webhook_id = own.id AND m.state = 'waiting')`

/** One at a time of an account, over all instances. */
const LOCK: Statement = {
  name: 'lock webhooks',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('prepd webhooks ' || $1, 0))",
}
const LIST: Statement = {
  name: 'list webhooks',
  text: `SELECT ${COLUMNS}, ${WAITING}::float8 AS waiting FROM prepd_webhooks AS own
    WHERE account_id = $1 ORDER BY created_at_ms, id`,
}
const PUT: Statement = {
  name: 'put webhook',
  text: `INSERT INTO prepd_webhooks (id, account_id, url, events, secret, created_at_ms, state,
      due_at_ms, attempts, failing_since_ms, failure, delivered_at_ms, dropped)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
}
const REMOVE: Statement = {
  name: 'remove webhook',
  text: `WITH gone AS (DELETE FROM prepd_webhooks WHERE account_id = $1 AND id = $2 RETURNING id),
      cleared AS (DELETE FROM prepd_webhook_messages WHERE webhook_id IN (SELECT id FROM gone))
    SELECT 1 FROM gone`,
}
const ACCOUNTS: Statement = {
  name: 'accounts with webhooks',
  text: `SELECT DISTINCT account_id AS "accountId" FROM prepd_webhooks
    WHERE state = 'active' AND strpos(events, $1) > 0 ORDER BY 1 LIMIT $2`,
}
const KEYS: Statement = {
  name: 'keys with webhooks',
  text: `SELECT account_id AS "accountId", public_key AS "publicKey" FROM prepd_proofs WHERE account_id IN
      (SELECT account_id FROM prepd_webhooks WHERE state = 'active' AND strpos(events, $1) > 0) LIMIT $2`,
}
/** A message for each webhook that has room, and a note at each other one. */
const PUBLISH: Statement = {
  name: 'publish to webhooks',
  text: `WITH wanting AS (
      SELECT id, ${WAITING} < ${WEBHOOK.waitingMax} AS has_room FROM prepd_webhooks AS own
      WHERE account_id = $1 AND state = 'active' AND strpos(events, $2) > 0 AND created_at_ms <= $5
        AND NOT EXISTS
        (SELECT 1 FROM prepd_webhook_messages WHERE webhook_id = own.id AND key = $3)),
    dropped AS (UPDATE prepd_webhooks SET dropped = dropped + 1
      WHERE id IN (SELECT id FROM wanting WHERE NOT has_room))
    INSERT INTO prepd_webhook_messages (webhook_id, key, body, at_ms, forget_at_ms, state)
    SELECT id, $3, $4, $5, $6, 'waiting' FROM wanting WHERE has_room ON CONFLICT DO NOTHING`,
}
/** Instances that take at once get different rows. */
const TAKE: Statement = {
  name: 'take webhooks',
  text: `UPDATE prepd_webhooks SET due_at_ms = $2 WHERE id IN (
      SELECT id FROM prepd_webhooks AS own
      WHERE state = 'active' AND due_at_ms <= $1 AND EXISTS (SELECT 1 FROM prepd_webhook_messages AS m
        WHERE m.webhook_id = own.id AND m.state = 'waiting')
      ORDER BY due_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED)
    RETURNING ${COLUMNS}`,
}
const OLDEST: Statement = {
  name: 'oldest messages of webhooks',
  text: `SELECT DISTINCT ON (webhook_id) webhook_id AS id, key, body FROM prepd_webhook_messages
    WHERE webhook_id = ANY($1::text[]) AND state = 'waiting' ORDER BY webhook_id, at_ms, key`,
}
const SENT: Statement = {
  name: 'message of webhook was sent',
  text: `UPDATE prepd_webhook_messages SET state = 'sent', body = '' WHERE webhook_id = $1 AND key = $2`,
}
const TAKEN: Statement = {
  name: 'webhook took a message',
  text: `UPDATE prepd_webhooks SET due_at_ms = $3, attempts = 0, failing_since_ms = NULL,
      failure = NULL, delivered_at_ms = $4 WHERE id = $1 AND due_at_ms = $2`,
}
const FAILED: Statement = {
  name: 'webhook took no message',
  text: `UPDATE prepd_webhooks SET due_at_ms = $3, attempts = attempts + 1,
      failing_since_ms = coalesce(failing_since_ms, $4), failure = $5, state = $6
    WHERE id = $1 AND due_at_ms = $2`,
}
const TOO_OLD = `state = 'waiting' AND at_ms <= extract(epoch FROM now()) * 1000 - ${WEBHOOK.keptMs}`
/** Gives up so many messages that are too old, and counts them at their webhooks. */
export const GIVE_UP_MESSAGES: Statement = {
  name: 'give up messages of webhooks',
  text: `WITH gone AS (DELETE FROM prepd_webhook_messages WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM prepd_webhook_messages WHERE ${TOO_OLD} LIMIT $1 FOR UPDATE SKIP LOCKED))
      RETURNING webhook_id),
    counted AS (SELECT webhook_id, count(*) AS count FROM gone GROUP BY 1)
    UPDATE prepd_webhooks SET dropped = dropped + counted.count FROM counted WHERE id = webhook_id`,
}
/** Forgets so many keys of messages that were sent. */
export const FORGET_MESSAGES: Statement = {
  name: 'sweep messages of webhooks',
  text: `DELETE FROM prepd_webhook_messages WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM prepd_webhook_messages
    WHERE state = 'sent' AND forget_at_ms <= extract(epoch FROM now()) * 1000 LIMIT $1
    FOR UPDATE SKIP LOCKED))`,
}

type Row = Parameters<typeof webhookOf>[0]
type Listed = Row & { readonly waiting: number }
type Oldest = { readonly id: string; readonly key: string; readonly body: string }

/** Webhooks that any instance calls, by the clocks of the instances. */
export function webhookTable({ ask, transact }: Pick<Link, 'ask' | 'transact'>): WebhookStore {
  const rowsOf = async <Found extends object>(statement: Statement, values: Values) =>
    (await guarded(ask<Found>(statement, values))).rows

  return {
    add: (webhook, rowsMax) =>
      guarded(
        transact(async (session) => {
          await session.ask(LOCK, [webhook.accountId])
          if ((await session.ask(LIST, [webhook.accountId])).rows.length >= rowsMax) return false
          await session.ask(PUT, valuesOf(webhook))
          return true
        }),
      ),
    remove: async (...own) => (await rowsOf(REMOVE, own)).length === 1,
    list: async (accountId) =>
      (await rowsOf<Listed>(LIST, [accountId])).map(({ waiting, ...row }) => ({
        ...webhookOf(row),
        waiting,
      })),
    accountsFor: async (event, rowsMax) =>
      (await rowsOf<Pick<Row, 'accountId'>>(ACCOUNTS, [wanted(event), rowsMax])).map(
        ({ accountId }) => accountId,
      ),
    keysFor: (event, rowsMax) => rowsOf<KeyPair>(KEYS, [wanted(event), rowsMax]),
    publish: async ({ accountId, event, key, body, atMs, forgetAtMs }) => {
      const values = [accountId, wanted(event), key, body, atMs, forgetAtMs]
      return (await guarded(ask(PUBLISH, values))).count
    },
    take: async (nowMs, untilMs, rowsMax) => {
      const taken = (await rowsOf<Row>(TAKE, [nowMs, untilMs, rowsMax])).map(webhookOf)
      if (taken.length === 0) return []
      const oldest = await rowsOf<Oldest>(OLDEST, [taken.map(({ id }) => id)])
      return oldest.flatMap(({ id, key, body }) => {
        const webhook = taken.find((each) => each.id === id)
        return webhook ? [{ webhook, key, body }] : []
      })
    },
    settle: (delivery, attempt) => settle(ask, delivery, attempt),
  }
}

async function settle(
  ask: Link['ask'],
  { webhook: { id, dueAtMs: leaseMs }, key }: Delivery,
  attempt: Attempt,
): Promise<void> {
  const own = [id, leaseMs, attempt.dueAtMs, attempt.nowMs]
  if (!attempt.taken) await guarded(ask(FAILED, [...own, attempt.failure, attempt.state]))
  else {
    await guarded(ask(SENT, [id, key]))
    await guarded(ask(TAKEN, own))
  }
}

function valuesOf(webhook: Webhook) {
  const { id, accountId, url, events, secret, createdAtMs, state, ...rest } = rowOf(webhook)
  const { dueAtMs, attempts, failingSinceMs, failure, deliveredAtMs, dropped } = rest
  const last = [dueAtMs, attempts, failingSinceMs, failure, deliveredAtMs, dropped]
  return [id, accountId, url, events, secret, createdAtMs, state, ...last]
}
