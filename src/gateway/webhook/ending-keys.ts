import { Failure } from '../../core/failure.ts'
import { isObject, numberOf } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { WEBHOOK } from '../../spec/webhook.ts'
import { keyLookupPath } from '../../wire/wire.ts'
import { readPayload, type VenueDeps } from '../venue/read.ts'
import type { AccountEvents } from './events.ts'

type Parts = VenueDeps & {
  readonly store: Pick<Store, 'webhooks'>
  readonly events: AccountEvents
  readonly clock: Clock
}

/** Publishes the keys of accounts that end within a week, and again within a day; the venue says when they end. */
export async function announceEndingKeys(parts: Parts): Promise<void> {
  const { store, events, clock } = parts
  const keys = await store.webhooks
    .keysFor('key.expiring', WEBHOOK.keysMax)
    .catch(orElse('gateway', [], Failure))
  for (const { accountId, publicKey } of keys) {
    const endsAtMs = await endOf(parts, accountId, publicKey)
    const leftMs = endsAtMs - clock.nowMs()
    const within = WEBHOOK.keyEndsWithinMs.find((ms) => leftMs <= ms)
    if (within === undefined || leftMs <= 0) continue
    await events.publish({
      ...{ accountId, event: 'key.expiring', key: `key ${publicKey} ${endsAtMs} ${within}` },
      ...{ data: { tradingKey: publicKey, expiration: endsAtMs }, forgetAtMs: endsAtMs },
    })
  }
}

/** When a key ends; infinite where the venue does not say, or has it no more. */
async function endOf(deps: VenueDeps, accountId: string, publicKey: string): Promise<number> {
  const path = keyLookupPath(accountId, publicKey)
  const row = await readPayload(deps, { path }).catch(orElse('gateway', null, Failure))
  const end = isObject(row) ? numberOf(row['expiration']) : undefined
  return end ?? Number.POSITIVE_INFINITY
}
