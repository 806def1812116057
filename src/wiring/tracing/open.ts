import type { Meter } from '../../core/observing/meter.ts'
import type { Upstream, World } from '../../core/ports.ts'
import type { Front } from '../../routes/http/front.ts'
import type { Settings } from '../../settings/settings.ts'

/** What a deployment's requests and calls to the venue go through to be traced. */
export type Tracing = {
  readonly front: (front: Front) => Front
  readonly upstream: (upstream: Upstream) => Upstream
  /** Sends what is left, for as long as a stop waits for it. */
  readonly close: () => Promise<void>
}

const UNTRACED: Tracing = {
  front: (front) => front,
  upstream: (upstream) => upstream,
  close: async () => undefined,
}

/** Traces go where the settings say; where they say nothing, none are made and nothing for them is loaded. */
export async function openTracing(
  { traces, trustedProxies }: Pick<Settings, 'traces' | 'trustedProxies'>,
  world: World,
  meter: Meter,
): Promise<Tracing> {
  if (traces === null) return UNTRACED
  const { openTracer } = await import('./tracer.ts')
  const { tracedFront } = await import('./requests.ts')
  const { tracedUpstream } = await import('./venue-calls.ts')
  const { begin, close } = openTracer(traces, { ...world, meter })
  return {
    front: (front) => tracedFront(front, { begin, trusted: trustedProxies }),
    upstream: tracedUpstream,
    close,
  }
}
