import type { ConsoleFigures } from '../../spec/console/figures.ts'
import { CONSOLE_LIMITS, CONSOLE_THRESHOLDS as LIMITS } from '../../spec/console/limits.ts'
import { fill } from '../common/format.ts'
import { bytes, milliseconds, share } from './figures-text.ts'
import { M } from './messages.ts'
import { samples } from './state.ts'

const PERIOD_SECONDS = CONSOLE_LIMITS.sampleEveryMs / 1000

type Bounds = { readonly warn: number; readonly ill: number }

type Props = { readonly found: ConsoleFigures }

/** The figures that are looked at first, with their limits. */
export function Tiles({ found }: Props) {
  const [, requests = 0, failed = 0, p99 = 0, loop = 0] = samples.value.at(-1) ?? []
  const sum = (name: 'hits' | 'stale' | 'misses') =>
    found.operations.reduce((total, row) => total + row[name], 0)
  const kept = sum('hits') + sum('stale')
  const slowest = requests === 0 ? null : p99
  const { fileBytes, logBytes } = found.store
  const stored = fileBytes === null || logBytes === null ? null : fileBytes + logBytes
  return (
    <dl class="cards">
      <Tile name={M.cards.rate} value={(requests / PERIOD_SECONDS).toFixed(1)} note={M.cards.now} />
      <Tile
        name={M.cards.failed}
        value={share(failed, requests)}
        judged={[requests === 0 ? null : failed / requests, LIMITS.failedShare]}
        shown={(value) => `${100 * value} %`}
      />
      <Latency name={M.cards.p99} ms={slowest} bounds={LIMITS.slowestMs} />
      <Latency name={M.cards.upstream} ms={found.upstream.p99Ms} bounds={LIMITS.venueSlowestMs} />
      <Latency name={M.cards.loop} ms={loop} bounds={LIMITS.loopDelayMs} />
      <Tile
        name={M.cards.hits}
        value={share(kept, kept + sum('misses'))}
        note={M.cards.sinceStart}
      />
      <Tile
        name={M.cards.memory}
        value={bytes(found.memory.residentBytes)}
        note={M.cards.process}
      />
      <Tile
        name={M.cards.store}
        value={stored === null ? '–' : bytes(stored)}
        note={stored === null ? M.state.shared : M.cards.onDisk}
      />
    </dl>
  )
}

type LatencyProps = {
  readonly name: string
  readonly ms: number | null
  readonly bounds: Bounds
}

function Latency({ name, ms, bounds }: LatencyProps) {
  return <Tile name={name} value={milliseconds(ms)} judged={[ms, bounds]} shown={milliseconds} />
}

type TileProps = {
  readonly name: string
  readonly value: string
  readonly note?: string
  /** The figure and its limits; null without a figure. */
  readonly judged?: readonly [figure: number | null, bounds: Bounds]
  /** A limit as text. */
  readonly shown?: (bound: number) => string
}

function Tile({ name, value, note, judged, shown = String }: TileProps) {
  const [figure, bounds] = judged ?? [null, null]
  const state = bounds ? stateOf(figure, bounds) : ''
  const limits =
    bounds && fill(M.cards.limits, { warn: shown(bounds.warn), ill: shown(bounds.ill) })
  return (
    <div class={`panel ${state}`} data-state={state}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="limits">{limits ?? note}</dd>
    </div>
  )
}

function stateOf(figure: number | null, { warn, ill }: Bounds): 'well' | 'warned' | 'ill' | '' {
  if (figure === null) return ''
  if (figure > ill) return 'ill'
  return figure > warn ? 'warned' : 'well'
}

/** More reasons than these are counted. */
const SHOWN_MAX = 3

/** Whether all is well, or the worst reasons why not, each with a link to more of it. */
export function Verdict({ found: { verdict } }: Props) {
  const rest = verdict.length - SHOWN_MAX
  if (verdict.length === 0) {
    return (
      <p class="verdict well" role="status">
        {M.verdict.well}
      </p>
    )
  }
  return (
    <div class={`verdict ${verdict[0]?.level === 'page' ? 'ill' : 'warned'}`} role="status">
      <ul>
        {verdict.slice(0, SHOWN_MAX).map(({ title, action, at }) => (
          <li key={title}>
            <a href={`#${at}`}>{title}</a> <span>{action}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && <span>{fill(M.verdict.rest, { count: rest })}</span>}
    </div>
  )
}
