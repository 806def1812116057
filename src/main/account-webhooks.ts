import { WEBHOOK } from '../contract/webhook.ts'
import { Failure } from '../core/failure.ts'
import { repeatWhileInUse } from '../core/loop/idle-timers.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { announceEndingKeys } from '../gateway/webhook/events.ts'
import { createExecutionWatch } from '../gateway/webhook/executions.ts'
import { createAccountWebhooks } from '../operator/notify/account-webhooks.ts'
import { PUBLIC_REACH } from '../operator/notify/public-https.ts'
import type { VenueCalls } from '../simulator/service.ts'

/**
 * Starts the timers of account webhooks: deliveries, events of keys that expire soon, and executions at the embedded
 * venue. Returns a function that stops the timers.
 */
export function startAccountWebhooks(
  gateway: Gateway,
  calls: Pick<VenueCalls, 'readAccount'> | null,
): () => void {
  if (!gateway.events.isOn) return () => undefined
  let isStopped = false
  const parts = whileOpen(gateway, () => isStopped)
  const deliver = createAccountWebhooks({ ...parts, reach: PUBLIC_REACH })
  const stops = [
    repeatWhileInUse('process', WEBHOOK.deliverEveryMs, deliver),
    repeatWhileInUse('gateway', WEBHOOK.keysEveryMs, () => announceEndingKeys(parts)),
  ]
  if (calls) {
    const look = createExecutionWatch({ ...parts, readAccount: calls.readAccount })
    stops.push(repeatWhileInUse('gateway', WEBHOOK.executionsEveryMs, look))
  }
  return () => {
    isStopped = true
    for (const stop of stops) stop()
  }
}

/**
 * The gateway with a webhook store that fails after the stop. A message in progress thus stays stored, and is sent
 * again after the next start.
 */
function whileOpen(gateway: Gateway, isStopped: () => boolean): Gateway {
  const { webhooks } = gateway.store
  const opened =
    <Given extends readonly unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      if (isStopped()) throw new Failure('store_unavailable')
      return call(...given)
    }
  return {
    ...gateway,
    events: {
      isOn: true,
      publish: async (happened) => {
        if (!isStopped()) await gateway.events.publish(happened)
      },
    },
    store: {
      ...gateway.store,
      webhooks: {
        ...webhooks,
        accountsFor: opened(webhooks.accountsFor),
        keysFor: opened(webhooks.keysFor),
        take: opened(webhooks.take),
        settle: opened(webhooks.settle),
      },
    },
  }
}
