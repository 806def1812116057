import { WEBHOOK, WEBHOOK_EVENTS, type WebhookEvent } from '../contract/webhook.ts'
import type { AccountKey } from '../core/standby.ts'
import type {
  AccountEvent,
  Attempt,
  Delivery,
  SecretChange,
  Webhook,
  WebhookStore,
} from '../core/webhook.ts'
import { statement } from './connection/statement.ts'
import type { Statements, TableAccess } from './connection/statements.ts'

type WebhookTable = WebhookStore & {
  /** Deletes at most `rowsMax` expired messages and keys. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

/** A stored webhook, with its events as text. */
export type WebhookRow = Omit<Webhook, 'events'> & { readonly events: string }
type Own = { readonly accountId: string; readonly id: string }
type Wanted = { readonly event: string; readonly rowsMax: number }
type Oldest = { readonly key: string; readonly body: string }

const COLUMNS = `id, account_id AS "accountId", url, events, secret,
  created_at_ms AS "createdAtMs", state, due_at_ms AS "dueAtMs", attempts,
  failing_since_ms AS "failingSinceMs", failure, delivered_at_ms AS "deliveredAtMs", dropped`

/** The SQL condition under which a webhook subscribes to the event. */
export const SUBSCRIBES_TO_EVENT = `state = 'active' AND events LIKE '%' || $event || '%'`

/**
 * The statements shared by SQLite and PostgreSQL. With `locking`, instances that take rows at the same time get
 * different rows.
 */
export function webhookStatements(prefix: '' | 'prepd_', locking: '' | 'FOR UPDATE SKIP LOCKED') {
  const { webhooks, messages, waiting, isDue } = webhookConditions(prefix)
  return {
    take: statement<WebhookRow, { nowMs: number; untilMs: number; rowsMax: number }>(
      `UPDATE ${webhooks} SET due_at_ms = $untilMs WHERE id IN
         (SELECT id FROM ${webhooks} WHERE ${isDue} ORDER BY due_at_ms LIMIT $rowsMax ${locking})
       RETURNING ${COLUMNS}`,
    ),
    put: statement<object, WebhookRow>(
      `INSERT INTO ${webhooks} (id, account_id, url, events, secret, created_at_ms, state, due_at_ms,
         attempts, failing_since_ms, failure, delivered_at_ms, dropped)
       VALUES ($id, $accountId, $url, $events, $secret, $createdAtMs, $state, $dueAtMs,
         $attempts, $failingSinceMs, $failure, $deliveredAtMs, $dropped)`,
    ),
    list: statement<WebhookRow & { readonly waiting: number }, Pick<Own, 'accountId'>>(
      `SELECT ${COLUMNS}, ${waiting} AS waiting FROM ${webhooks}
       WHERE account_id = $accountId ORDER BY created_at_ms, id`,
    ),
    accounts: statement<Pick<Own, 'accountId'>, Wanted>(
      `SELECT DISTINCT account_id AS "accountId" FROM ${webhooks} WHERE ${SUBSCRIBES_TO_EVENT}
       ORDER BY 1 LIMIT $rowsMax`,
    ),
    keys: statement<AccountKey, Wanted>(
      `SELECT account_id AS "accountId", public_key AS "publicKey" FROM ${prefix}proofs
       WHERE account_id IN (SELECT account_id FROM ${webhooks} WHERE ${SUBSCRIBES_TO_EVENT}) LIMIT $rowsMax`,
    ),
    secrets: statement<Pick<WebhookRow, 'id' | 'secret'>, { afterId: string; rowsMax: number }>(
      `SELECT id, secret FROM ${webhooks} WHERE id > $afterId ORDER BY id LIMIT $rowsMax`,
    ),
    replaceSecret: statement<object, SecretChange>(
      `UPDATE ${webhooks} SET secret = $next WHERE id = $id AND secret = $secret`,
    ),
    sent: statement<object, Pick<Own, 'id'> & { key: string }>(
      `UPDATE ${messages} SET state = 'sent', body = '' WHERE webhook_id = $id AND key = $key`,
    ),
    taken: statement<object, Settled>(
      `UPDATE ${webhooks} SET due_at_ms = $dueAtMs, attempts = 0, failing_since_ms = NULL,
         failure = NULL, delivered_at_ms = $nowMs WHERE id = $id AND due_at_ms = $leaseMs`,
    ),
    failed: statement<object, Settled & Pick<WebhookRow, 'state'> & { failure: string }>(
      `UPDATE ${webhooks} SET due_at_ms = $dueAtMs, attempts = attempts + 1, failure = $failure,
         failing_since_ms = coalesce(failing_since_ms, $nowMs), state = $state
       WHERE id = $id AND due_at_ms = $leaseMs`,
    ),
  }
}

type Settled = Record<'leaseMs' | 'nowMs' | 'dueAtMs', number> & Pick<Own, 'id'>

/** The table names, and SQL expressions about a webhook: the number of its waiting messages, and whether it is due. */
export function webhookConditions(prefix: '' | 'prepd_') {
  const webhooks = `${prefix}webhooks`
  const messages = `${prefix}webhook_messages`
  const ofWebhook = `FROM ${messages}
    WHERE webhook_id = ${webhooks}.id AND ${messages}.state = 'waiting'`
  return {
    ...{ webhooks, messages },
    waiting: `(SELECT count(*) ${ofWebhook})`,
    isDue: `state = 'active' AND due_at_ms <= $nowMs AND EXISTS (SELECT 1 ${ofWebhook})`,
  }
}

const OWN = webhookStatements('', '')
const { waiting: WAITING, isDue: IS_DUE } = webhookConditions('')

/** Whether a message is new to a webhook: the webhook is at least as old as the message and does not have it yet. */
const IS_NEW_MESSAGE = `created_at_ms <= $atMs AND NOT EXISTS (SELECT 1 FROM webhook_messages WHERE webhook_id = webhooks.id AND key = $key)`
const TOO_OLD = `state = 'waiting' AND at_ms <= $beforeMs`

/** Webhooks in a file. Additions, deletions and messages take effect only once they are durable. */
export function webhookTable({ database, synced, durably, guard }: TableAccess): WebhookTable {
  const owned = webhookRows(database, synced)
  const messages = messageRows(database, synced)
  return {
    add: (webhook, rowsMax) =>
      durably(() => {
        if (owned.list.all({ accountId: webhook.accountId }).length >= rowsMax) return false
        owned.put.run(webhookRow(webhook))
        return true
      }),
    remove: (accountId, id) =>
      durably(() => {
        if (owned.remove.run({ accountId, id }).changes === 0) return false
        messages.clear.run({ id })
        return true
      }),
    list: async (accountId) => guard(() => owned.list.all({ accountId })).map(toWebhook),
    accountsFor: async (event, rowsMax) =>
      guard(() => owned.accounts.all({ event: eventInList(event), rowsMax })).map(
        ({ accountId }) => accountId,
      ),
    keysFor: async (event, rowsMax) =>
      guard(() => owned.keys.all({ event: eventInList(event), rowsMax })),
    publish: (event) =>
      durably(() => {
        const { key, accountId } = event
        const { body, atMs, forgetAtMs } = event
        const own = { accountId, key, atMs, event: eventInList(event.event) }
        messages.drop.run(own)
        return messages.put.run({ ...own, body, forgetAtMs }).changes
      }),
    take: async (nowMs, untilMs, rowsMax) => {
      // Fast path without a write: usually nothing is due.
      if (guard(() => messages.isDue.get({ nowMs })) === null) return []
      // The step also reads the messages, because the file may be closed right after the step.
      return durably(() =>
        messages.take.all({ nowMs, untilMs, rowsMax }).flatMap((row) => {
          const oldest = messages.oldest.get({ id: row.id })
          return oldest ? [{ webhook: toWebhook(row), ...oldest }] : []
        }),
      )
    },
    secrets: async (afterId, rowsMax) => guard(() => owned.secrets.all({ afterId, rowsMax })),
    replaceSecret: (change) => durably(() => void owned.replaceSecret.run(change)),
    settle: (delivery, attempt) => durably(() => settle(messages, delivery, attempt)),
    sweep: (nowMs, rowsMax) => {
      const own = { beforeMs: nowMs - WEBHOOK.keptMs }
      messages.giveUp.run(own)
      return messages.forget.run({ ...own, nowMs, rowsMax }).changes
    },
  }
}

function settle(
  { taken, failed, sent }: ReturnType<typeof messageRows>,
  { webhook: { id, dueAtMs: leaseMs }, key }: Delivery,
  attempt: Attempt,
): void {
  const { nowMs, dueAtMs } = attempt
  const own = { id, leaseMs, nowMs, dueAtMs }
  if (!attempt.taken) {
    const { failure, state } = attempt
    failed.run({ ...own, failure, state })
    return
  }
  sent.run({ id, key })
  taken.run(own)
}

function webhookRows(database: Statements, synced: Statements) {
  return {
    put: synced.shared(OWN.put),
    remove: synced.prepare<null, [Own]>(
      'DELETE FROM webhooks WHERE id = $id AND account_id = $accountId',
    ),
    list: synced.shared(OWN.list),
    accounts: database.shared(OWN.accounts),
    keys: database.shared(OWN.keys),
    secrets: database.shared(OWN.secrets),
    replaceSecret: synced.shared(OWN.replaceSecret),
  }
}

type Published = Pick<AccountEvent, 'accountId' | 'key' | 'atMs'> & { readonly event: string }

function messageRows(database: Statements, synced: Statements) {
  return {
    drop: synced.prepare<null, [Published]>(
      `UPDATE webhooks SET dropped = dropped + 1 WHERE account_id = $accountId AND ${SUBSCRIBES_TO_EVENT}
         AND ${WAITING} >= ${WEBHOOK.waitingMax} AND ${IS_NEW_MESSAGE}`,
    ),
    put: synced.prepare<null, [Published & Pick<AccountEvent, 'body' | 'forgetAtMs'>]>(
      `INSERT INTO webhook_messages (webhook_id, key, body, at_ms, forget_at_ms, state)
       SELECT id, $key, $body, $atMs, $forgetAtMs, 'waiting' FROM webhooks
       WHERE account_id = $accountId AND ${SUBSCRIBES_TO_EVENT} AND ${WAITING} < ${WEBHOOK.waitingMax} AND ${IS_NEW_MESSAGE}`,
    ),
    clear: synced.prepare<null, [Pick<Own, 'id'>]>(
      'DELETE FROM webhook_messages WHERE webhook_id = $id',
    ),
    isDue: database.prepare<object, [{ nowMs: number }]>(
      `SELECT 1 FROM webhooks WHERE ${IS_DUE} LIMIT 1`,
    ),
    take: synced.shared(OWN.take),
    oldest: synced.prepare<Oldest, [Pick<Own, 'id'>]>(
      `SELECT key, body FROM webhook_messages WHERE webhook_id = $id AND state = 'waiting'
       ORDER BY at_ms, key LIMIT 1`,
    ),
    sent: synced.shared(OWN.sent),
    taken: synced.shared(OWN.taken),
    failed: synced.shared(OWN.failed),
    giveUp: database.prepare<null, [{ beforeMs: number }]>(
      `UPDATE webhooks SET dropped = dropped + old.count FROM
         (SELECT webhook_id, count(*) AS count FROM webhook_messages WHERE ${TOO_OLD} GROUP BY 1) AS old
       WHERE id = old.webhook_id`,
    ),
    forget: database.prepare<null, [{ beforeMs: number; nowMs: number; rowsMax: number }]>(
      `DELETE FROM webhook_messages WHERE (${TOO_OLD}) OR (webhook_id, key) IN
         (SELECT webhook_id, key FROM webhook_messages
          WHERE state = 'sent' AND forget_at_ms <= $nowMs LIMIT $rowsMax)`,
    ),
  }
}

/** An event as it is written in the `events` text of a webhook. */
export function eventInList(event: WebhookEvent): string {
  return ` ${event} `
}

/** The row of a webhook. */
export function webhookRow(webhook: Webhook): WebhookRow {
  return { ...webhook, events: ` ${webhook.events.join(' ')} ` }
}

/** Parses a row's `events` text; other columns are returned unchanged. */
export function toWebhook<Kind extends WebhookRow>({ events, ...row }: Kind) {
  return { ...row, events: WEBHOOK_EVENTS.filter((event) => events.includes(eventInList(event))) }
}
