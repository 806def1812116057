import { WEBHOOK } from '../../contract/webhook.ts'
import type { AccountEvent, WebhookStore } from '../../core/webhook.ts'
import { statement } from '../../store/connection/statement.ts'
import {
  eventInList,
  SUBSCRIBES_TO_EVENT,
  toWebhook,
  webhookConditions,
  webhookRow,
  webhookStatements,
} from '../../store/webhooks.ts'
import { deleteUnlocked } from './connection.ts'
import type { Queries } from './primary-queries.ts'

const SHARED = webhookStatements('prepd_', 'FOR UPDATE SKIP LOCKED')
const { waiting: WAITING } = webhookConditions('prepd_')

/** Locks the webhooks of an account against all instances until the transaction ends. */
const LOCK = statement<object, { accountId: string }>(
  "SELECT pg_advisory_xact_lock(hashtextextended('prepd webhooks ' || $accountId, 0))",
)
const REMOVE = statement<object, { accountId: string; id: string }>(
  `WITH gone AS (
      DELETE FROM prepd_webhooks WHERE account_id = $accountId AND id = $id RETURNING id),
      cleared AS (DELETE FROM prepd_webhook_messages WHERE webhook_id IN (SELECT id FROM gone))
    SELECT 1 FROM gone`,
)
/** Stores a message for each webhook that has room. For a full webhook, counts a lost message. */
const PUBLISH = statement<object, Omit<AccountEvent, 'event'> & { event: string }>(
  `WITH wanting AS (
      SELECT id, ${WAITING} < ${WEBHOOK.waitingMax} AS has_room FROM prepd_webhooks
      WHERE account_id = $accountId AND ${SUBSCRIBES_TO_EVENT} AND created_at_ms <= $atMs
        AND NOT EXISTS (SELECT 1 FROM prepd_webhook_messages
          WHERE webhook_id = prepd_webhooks.id AND key = $key)),
    dropped AS (UPDATE prepd_webhooks SET dropped = dropped + 1
      WHERE id IN (SELECT id FROM wanting WHERE NOT has_room))
    INSERT INTO prepd_webhook_messages (webhook_id, key, body, at_ms, forget_at_ms, state)
    SELECT id, $key, $body, $atMs, $forgetAtMs, 'waiting' FROM wanting WHERE has_room
    ON CONFLICT DO NOTHING`,
)
const OLDEST = statement<{ id: string; key: string; body: string }, { ids: string[] }>(
  `SELECT DISTINCT ON (webhook_id) webhook_id AS id, key, body FROM prepd_webhook_messages
    WHERE webhook_id = ANY($ids::text[]) AND state = 'waiting' ORDER BY webhook_id, at_ms, key`,
)
const TOO_OLD = `state = 'waiting' AND at_ms <= extract(epoch FROM now()) * 1000 - ${WEBHOOK.keptMs}`
/** Deletes undelivered messages that are too old, up to a maximum number, and counts them as lost at their webhooks. */
export const GIVE_UP_MESSAGES = statement<object, { rowsMax: number }>(
  `WITH gone AS (${deleteUnlocked('prepd_webhook_messages', `${TOO_OLD} LIMIT $rowsMax`)}
      RETURNING webhook_id),
    counted AS (SELECT webhook_id, count(*) AS count FROM gone GROUP BY 1)
    UPDATE prepd_webhooks SET dropped = dropped + counted.count FROM counted WHERE id = webhook_id`,
)
/** Deletes keys of messages that were sent, up to a maximum number. */
export const FORGET_MESSAGES = statement<object, { rowsMax: number }>(
  deleteUnlocked(
    'prepd_webhook_messages',
    `state = 'sent' AND forget_at_ms <= extract(epoch FROM now()) * 1000 LIMIT $rowsMax`,
  ),
)

/** Webhooks, which any instance may call. Times come from the instances' clocks. */
export function postgresWebhooks({ rows, change }: Queries, acts: Queries): WebhookStore {
  return {
    add: (webhook, rowsMax) =>
      acts.transact(async ({ ask }) => {
        const { accountId } = webhook
        await ask(LOCK, { accountId })
        if ((await ask(SHARED.list, { accountId })).rows.length >= rowsMax) return false
        await ask(SHARED.put, webhookRow(webhook))
        return true
      }),
    remove: async (accountId, id) => (await acts.change(REMOVE, { accountId, id })) === 1,
    list: async (accountId) => (await rows(SHARED.list, { accountId })).map(toWebhook),
    accountsFor: async (event, rowsMax) => {
      const found = await rows(SHARED.accounts, { event: eventInList(event), rowsMax })
      return found.map(({ accountId }) => accountId)
    },
    keysFor: (event, rowsMax) => rows(SHARED.keys, { event: eventInList(event), rowsMax }),
    publish: ({ event, ...message }) => change(PUBLISH, { ...message, event: eventInList(event) }),
    take: async (nowMs, untilMs, rowsMax) => {
      const taken = (await rows(SHARED.take, { nowMs, untilMs, rowsMax })).map(toWebhook)
      if (taken.length === 0) return []
      const oldest = await rows(OLDEST, { ids: taken.map(({ id }) => id) })
      return oldest.flatMap(({ id, key, body }) => {
        const webhook = taken.find((each) => each.id === id)
        return webhook ? [{ webhook, key, body }] : []
      })
    },
    secrets: (afterId, rowsMax) => rows(SHARED.secrets, { afterId, rowsMax }),
    replaceSecret: async (replaced) => void (await acts.change(SHARED.replaceSecret, replaced)),
    settle: async ({ webhook: { id, dueAtMs: leaseMs }, key }, attempt) => {
      const { nowMs, dueAtMs } = attempt
      const own = { id, leaseMs, nowMs, dueAtMs }
      if (!attempt.taken) {
        const { failure, state } = attempt
        await change(SHARED.failed, { ...own, failure, state })
        return
      }
      await change(SHARED.sent, { id, key })
      await change(SHARED.taken, own)
    },
  }
}
