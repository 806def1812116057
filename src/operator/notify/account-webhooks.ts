import { WEBHOOK } from '../../contract/webhook.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure } from '../../core/failure.ts'
import { expected, orElse } from '../../core/loop/guarded.ts'
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
 * Sends messages that wait for webhooks of accounts: one per due webhook, to a limited number at a time. Several
 * instances share the work. A message that an instance did not finish is sent again under the same id.
 */
export function createAccountWebhooks(parts: AccountWebhookOptions): () => Promise<void> {
  const { store, clock, meter } = parts
  let underWay = 0

  async function send(delivery: Delivery): Promise<void> {
    // A message without a usable secret stays unsent, since its receiver could not verify it.
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
      // The next attempt follows after the lease.
      expected('process', error, Failure)
    }
  }

  return async () => {
    const room = WEBHOOK.deliveriesMax - underWay
    if (room <= 0) return
    const nowMs = clock.nowMs()
    const due = await store.webhooks
      .take(nowMs, nowMs + WEBHOOK.leaseMs, room)
      .catch(orElse('process', [], Failure))
    underWay += due.length
    const sendOne = (each: Delivery) =>
      send(each).finally(() => {
        underWay -= 1
      })
    await Promise.all(due.map(sendOne))
  }
}

/** The fault that an owner may see. A host in the internal network is reported as unreachable. */
function shownFault(fault: string | null): string | null {
  return fault === 'not_public' ? 'unreachable' : fault
}

/** The request of a delivery. All attempts of all instances use the same id. */
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

/** Logs without the URL, which may contain a password of its owner. */
function note(log: Log, { id }: Webhook, { failure, state }: Extract<Attempt, { taken: false }>) {
  const event = state === 'disabled' ? 'webhook_disabled' : 'webhook_not_delivered'
  log.info(event, { webhook: id, failure })
}
