import { STANDBY_PATH } from '../../../src/contract/standby.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { Store, UpstreamRequest } from '../../../src/core/ports.ts'
import { loadControls } from '../../../src/gateway/controls/controls.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { armStandby, standbyAct } from '../../../src/gateway/standby/standby.ts'
import { createStandbys } from '../../../src/gateway/standby/watch.ts'
import { envelope, type TestCaller } from '../../caller.ts'
import { running, settingsFolder } from '../../settings-folder.ts'

/** What the venue does with a call: takes it, breaks off after it was sent, or cannot be reached; or an answer of its own. */
export type VenueState =
  | 'up'
  | 'silent'
  | 'away'
  | { readonly status: number; readonly code: number }

type Parts = {
  readonly store: Store
  readonly nowMs: () => number
  readonly send: (
    request: UpstreamRequest,
  ) => Promise<{ readonly status: number; readonly body: string }>
  /** Whether owners of accounts may have webhooks; not by default. */
  readonly webhooks?: boolean
  readonly lastSeen?: Parameters<typeof createStandbys>[0]['lastSeen']
}

export const FROM = { address: '203.0.113.9', limitKey: '203.0.113.9' }

/** A cancel that the venue has taken. */
export const TAKEN = {
  status: 200,
  body: '{"success":true,"timestamp":1,"data":{"status":"CANCEL_ALL_SENT"}}',
}

/** One instance on a store, in front of a scripted venue. */
export async function openInstance(parts: Parts) {
  const { store, nowMs, send, webhooks = false, lastSeen = () => [] } = parts
  using folder = settingsFolder()
  const { settings } = running(folder.invoke([], {}))
  const lines: object[] = []
  const at = (level: string) => (event: string, fields?: object) =>
    void lines.push({ level, event, ...fields })
  const clock = { nowMs }
  const gateway = createGateway({
    clock,
    venueClock: clock,
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') },
    meter: createMeter(() => 0),
    settings: { ...settings, limits: {}, webhooks },
    store,
    advanceClock: null,
    faucet: null,
    shared: null,
    noteUnknown: () => undefined,
    isStepped: false,
    promote: null,
    controls: await loadControls(store.controls),
    upstream: {
      send: async (request) => ({ contentType: 'application/json', ...(await send(request)) }),
    },
  })
  const answered = (answer: Promise<{ readonly reply: { readonly text: () => string } }>) =>
    answer.then(
      ({ reply }) => JSON.parse(reply.text()),
      ({ code, meta }) => ({ code, ...meta }),
    )
  return {
    gateway,
    lines,
    ...createStandbys({ ...gateway, lastSeen }),
    arm: (envelopes: readonly ReturnType<typeof envelope>[], afterMs: number) =>
      answered(armStandby(gateway, { envelopes: [...envelopes], afterMs }, FROM)),
    act: (caller: TestCaller, method: 'GET' | 'DELETE', timestampMs = nowMs()) =>
      answered(
        standbyAct(
          gateway,
          envelope(caller, { method, path: STANDBY_PATH, timestamp: String(timestampMs) }),
          FROM,
        ),
      ),
    prove: ({ accountId, key }: TestCaller) =>
      store.proofs.add(accountId.toLowerCase(), key, nowMs()),
  }
}

/** A cancel of a caller, signed for a time. */
export function cancelAt(caller: TestCaller, timestampMs: number, path = '/v1/orders') {
  return envelope(caller, { method: 'DELETE', path, timestamp: String(timestampMs) })
}
