import { ACTIVITIES } from '../../contract/venue/activity.ts'
import { CLOCK_CONTROLLERS } from '../../contract/venue/advance.ts'
import { LATENCY_MAX_MS, type LatencyLeg, type VenueLatency } from '../../contract/venue/latency.ts'
import { parseBaseUrl } from '../base-url.ts'

/** Parsers of the settings of the embedded venue's world and clock. */
export const VENUE_KINDS = {
  activity: {
    expects: 'sparse, calm, normal or busy',
    parse: (text: string) => ACTIVITIES.find((activity) => activity === text),
  },
  baseUrl: {
    expects: 'an https base URL (http to loopback only) without path or credentials',
    parse: parseBaseUrl,
  },
  clock: {
    expects: 'real or virtual',
    parse: (text: string) => (['real', 'virtual'] as const).find((clock) => clock === text),
  },
  clockMover: {
    expects: 'operator or accounts',
    parse: (text: string) => CLOCK_CONTROLLERS.find((mover) => mover === text),
  },
  latency: {
    expects: 'ms and deviation of each way such as feed=20/5,entry=10/2,answer=10/2, or off',
    parse: (text: string) => (text === 'off' ? null : parseLatency(text)),
  },
  venueOrPaper: {
    expects:
      'embedded, paper, or an https base URL (http to loopback only) without path or credentials',
    parse: (text: string) => (text === 'embedded' || text === 'paper' ? text : parseBaseUrl(text)),
  },
}

const LATENCY_LEG = /^(feed|entry|answer)=(\d{1,5})(?:\/(\d{1,5}))?$/
const NO_LATENCY = { meanMs: 0, jitterMs: 0 } as const

/** Parses latencies per leg. Each leg may occur once; an omitted leg takes no time. */
function parseLatency(text: string): VenueLatency | undefined {
  const parts = text.split(',').map((part) => LATENCY_LEG.exec(part))
  const legs = new Map(
    parts.map((part) => [
      part?.[1],
      { meanMs: Number(part?.[2]), jitterMs: Number(part?.[3] ?? 0) },
    ]),
  )
  const isGood = parts.every((part) => part !== null) && legs.size === parts.length
  const isShort = [...legs.values()].every(
    ({ meanMs, jitterMs }) => Math.max(meanMs, jitterMs) <= LATENCY_MAX_MS,
  )
  if (!isGood || !isShort) return undefined
  const leg = (name: LatencyLeg) => legs.get(name) ?? NO_LATENCY
  return { feed: leg('feed'), entry: leg('entry'), answer: leg('answer') }
}
