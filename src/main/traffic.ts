import type { InstanceRow } from '../contract/console/figures.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { TrafficStore } from '../core/traffic.ts'
import { keepInstanceRegistry } from '../http/console/instance-registry.ts'
import type { Recorder } from '../http/console/recorder.ts'
import { keepTraffic } from '../http/console/traffic.ts'
import { instanceName } from './store.ts'

type TrafficSources = {
  readonly store: { readonly traffic: TrafficStore }
  readonly recorder: Recorder
  readonly meter: Meter
}

type OpenTraffic = {
  /** This instance's name, unique among the instances that share the store. */
  readonly instance: string
  readonly stopTraffic: () => Promise<void>
}

/** Stores this instance's traffic each minute for the console. */
export function openTraffic(
  settings: Settings,
  { clock, monotonicMs, log }: World,
  { store, recorder, meter }: TrafficSources,
): OpenTraffic {
  const { opsListen, engines } = settings
  const instance = instanceName(settings)
  if (!opsListen && !engines) return { instance, stopTraffic: async () => undefined }
  const sinceMs = clock.nowMs()
  const readiness = () => meter.samples('prepd_ready')[0]?.value
  const own = (): InstanceRow => ({
    ...{ name: instance, version: BUILD_FACTS.version, sinceMs, seenMs: clock.nowMs() },
    isReady: readiness() === undefined ? null : readiness() === 1,
  })
  const traffic = keepTraffic({
    ...{ store: store.traffic, recorder, monotonicMs, instance: own },
    failed: () => {
      meter.counter('prepd_housekeeping_failures_total', 'traffic').add()
      log.error('housekeeping_failed', { what: 'traffic' })
    },
  })
  if (!engines) return { instance, stopTraffic: traffic.stop }
  const registry = keepInstanceRegistry({ store: store.traffic, monotonicMs, instance: own })
  meter.reading('prepd_engine_instances_lost', registry.lost)
  const stopTraffic = async () => {
    await registry.stop()
    await traffic.stop()
  }
  return { instance, stopTraffic }
}
