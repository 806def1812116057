import { WEBHOOK } from '../../contract/webhook.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, toFloat } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { markInUse } from '../../core/loop/idle-timers.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Log, Store } from '../../core/ports.ts'
import type { AccountEvent } from '../../core/webhook.ts'
import { keyLookupPath } from '../../upstream/wire/wire.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { readPayload, type VenueAccess } from '../venue/read.ts'

/** An event of an account, with the data for its owner. */
export type AccountEventInput = Pick<AccountEvent, 'accountId' | 'event' | 'key'> & {
  readonly data: object
  /** Time until which `key` is remembered to detect duplicates. Default: an hour from now. */
  readonly forgetAtMs?: number
  /** The time of the event. Default: now. Webhooks that were added later do not get the event. */
  readonly atMs?: number
}

/** Publishes events of accounts to the webhooks of their owners. */
export type AccountEvents = {
  /** Whether the operator has turned webhooks on. */
  readonly isOn: boolean
  /** Stores a message for each webhook that subscribes to the event. A failure is logged. Never rejects. */
  readonly publish: (happened: AccountEventInput) => Promise<void>
}

type AccountEventsOptions = {
  readonly isOn: boolean
  readonly store: Pick<Store, 'webhooks'>
  readonly clock: Clock
  readonly scrub: Scrub
  readonly log: Log
  readonly meter: Meter
}

export function createAccountEvents({
  isOn,
  store,
  clock,
  scrub,
  log,
  meter,
}: AccountEventsOptions) {
  async function publish({ data, ...happened }: AccountEventInput): Promise<void> {
    const { accountId, event } = happened
    const nowMs = clock.nowMs()
    const { atMs = nowMs } = happened
    const timestamp = new Date(atMs).toISOString()
    const message = { type: event, timestamp, data: { account: accountId, ...data } }
    const body = scrub.value(message, { audience: 'private' }).text()
    const forgetAtMs = nowMs + WEBHOOK.rememberedMs
    const kept = await store.webhooks
      .publish({ forgetAtMs, ...happened, atMs, body })
      .catch(defaultOnFailure('gateway', null, Failure))
    if (kept === null) log.warn('account_event_not_kept', { type: event })
    else if (kept > 0) markInUse()
    for (let count = kept ?? 0; count > 0; count -= 1)
      meter.counter('prepd_webhook_messages_total', 'published').add()
  }
  return { isOn, publish: isOn ? publish : async () => undefined }
}

type Watching = VenueAccess & {
  readonly store: Pick<Store, 'webhooks'>
  readonly events: AccountEvents
  readonly clock: Clock
}

/** Publishes trading keys that expire within a week, and again within a day. The venue states the expiry. */
export async function announceEndingKeys(parts: Watching): Promise<void> {
  const { store, events, clock } = parts
  const keys = await store.webhooks
    .keysFor('key.expiring', WEBHOOK.keysMax)
    .catch(defaultOnFailure('gateway', [], Failure))
  for (const { accountId, publicKey } of keys) {
    const endsAtMs = await readKeyEndMs(parts, accountId, publicKey)
    const leftMs = endsAtMs - clock.nowMs()
    const within = WEBHOOK.keyEndsWithinMs.find((ms) => leftMs <= ms)
    if (within === undefined || leftMs <= 0) continue
    await events.publish({
      ...{ accountId, event: 'key.expiring', key: `key ${publicKey} ${endsAtMs} ${within}` },
      ...{ data: { tradingKey: publicKey, expiration: endsAtMs }, forgetAtMs: endsAtMs },
    })
  }
}

/** When a key expires, in ms; infinite if the venue states no expiry or has removed the key. */
async function readKeyEndMs(
  deps: VenueAccess,
  accountId: string,
  publicKey: string,
): Promise<number> {
  const path = keyLookupPath(accountId, publicKey)
  const row = await readPayload(deps, { path }).catch(defaultOnFailure('gateway', null, Failure))
  const end = isObject(row) ? toFloat(row['expiration']) : undefined
  return end ?? Number.POSITIVE_INFINITY
}
