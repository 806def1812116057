import { WEBHOOK } from '../../contract/webhook.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Log, Store } from '../../core/ports.ts'
import type { Attempt, Delivery, Webhook } from '../../core/webhook.ts'
import { secretBytes } from './config.ts'
import { webhookHeaders } from './message.ts'
import { type PublicReach, postFault } from './public-https.ts'

type AccountWebhookOptions = {
  readonly store: Pick<Store, 'webhooks'>
  readonly clock: Clock
  readonly log: Log
  readonly meter: Pick<Meter, 'counter'>
  readonly reach: PublicReach
}

/**
 * Returns a function that sends one pending message for each account webhook that is due. The number of concurrent
 * deliveries is limited. Several instances share the work. If an instance does not finish a delivery, the message is
 * sent again with the same id.
 */
export function createAccountWebhooks(parts: AccountWebhookOptions): () => Promise<void> {
  const { store, clock, meter } = parts
  let underWay = 0

  async function send(delivery: Delivery): Promise<void> {
    // A webhook whose secret was lost gets no message, since only the secret lets the receiver verify a message.
    const fault =
      delivery.webhook.secret === ''
        ? 'secret_lost'
        : await postFault(parts.reach, deliveryPost(delivery, clock.nowMs()))
    const attempt = deliveryAttempt(delivery.webhook, shownFault(fault), clock.nowMs())
    meter.counter('prepd_webhook_messages_total', attempt.taken ? 'delivered' : 'failed').add()
    if (!attempt.taken) note(parts.log, delivery.webhook, { ...attempt, failure: fault ?? '' })
    try {
      await store.webhooks.settle(delivery, attempt)
    } catch (error) {
      // Ignores the failure, because the message is sent again when its lease expires.
      reportUnexpected('process', error, Failure)
    }
  }

  return async () => {
    const room = WEBHOOK.deliveriesMax - underWay
    if (room <= 0) return
    const nowMs = clock.nowMs()
    const due = await store.webhooks
      .take(nowMs, nowMs + WEBHOOK.leaseMs, room)
      .catch(defaultOnFailure('process', [], Failure))
    underWay += due.length
    const sendOne = (each: Delivery) =>
      send(each).finally(() => {
        underWay -= 1
      })
    await Promise.all(due.map(sendOne))
  }
}

/** The fault that the webhook's owner may see. An internal host is reported as unreachable. */
function shownFault(fault: string | null): string | null {
  return fault === 'not_public' ? 'unreachable' : fault
}

/** The request of a delivery. Every attempt of every instance uses the same message id. */
function deliveryPost({ webhook, key, body }: Delivery, nowMs: number) {
  const { url, secret } = webhook
  const id = `msg_${sha256Hex(`${webhook.id} ${key}`).slice(0, 32)}`
  const headers = webhookHeaders(secretBytes(secret), { id, body, nowMs })
  return { url: new URL(url), headers, body, deadlineMs: WEBHOOK.deadlineMs }
}

function deliveryAttempt(webhook: Webhook, failure: string | null, nowMs: number): Attempt {
  if (failure === null) return { taken: true, nowMs, dueAtMs: nowMs + WEBHOOK.pauseMs }
  const waits = WEBHOOK.retryAfterMs
  const waitMs = waits[webhook.attempts] ?? waits.at(-1) ?? 0
  const isOver = nowMs - (webhook.failingSinceMs ?? nowMs) >= WEBHOOK.failingMaxMs
  const state = isOver ? 'disabled' : 'active'
  return { taken: false, nowMs, dueAtMs: nowMs + waitMs, failure, state }
}

/** Logs a failed delivery without its URL, which may contain a password. */
function note(log: Log, { id }: Webhook, { failure, state }: Extract<Attempt, { taken: false }>) {
  const event = state === 'disabled' ? 'webhook_disabled' : 'webhook_not_delivered'
  log.info(event, { webhook: id, failure })
}
