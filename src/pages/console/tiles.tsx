import type { ConsoleFigures, Tile as TileName } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS, CONSOLE_THRESHOLDS as LIMITS } from '../../contract/console/limits.ts'
import { filledTemplate } from '../common/format.ts'
import { bytes, milliseconds, share } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { samples } from './state.ts'

const PERIOD_SECONDS = CONSOLE_LIMITS.sampleEveryMs / 1000

type Props = { readonly found: ConsoleFigures }

/** The most important figures, with their limits. */
export function Tiles({ found }: Props) {
  const [, requests = 0, failed = 0, p99 = 0, loop = 0] = samples.value.at(-1) ?? []
  const sum = (name: 'hits' | 'stale' | 'misses') =>
    found.operations.reduce((total, row) => total + row[name], 0)
  const kept = sum('hits') + sum('stale')
  const slowest = requests === 0 ? null : p99
  const { fileBytes, logBytes } = found.store
  const stored = fileBytes === null || logBytes === null ? null : fileBytes + logBytes
  const shownState = (tile: TileName) => tileState(found.verdict, tile)
  const latency = (name: string, ms: number | null, tile: TileName, boundMs: number) => (
    <Tile
      name={name}
      value={milliseconds(ms)}
      limit={milliseconds(boundMs)}
      state={ms === null ? '' : shownState(tile)}
    />
  )
  return (
    <dl class="cards">
      <Tile
        name={CONSOLE_TEXTS.cards.rate}
        value={(requests / PERIOD_SECONDS).toFixed(1)}
        note={CONSOLE_TEXTS.cards.now}
      />
      <Tile
        name={CONSOLE_TEXTS.cards.failed}
        value={share(failed, requests)}
        limit={`${100 * LIMITS.failedShare} %`}
        state={requests === 0 ? '' : shownState('failed')}
      />
      {latency(CONSOLE_TEXTS.cards.p99, slowest, 'slowest', LIMITS.slowestMs)}
      {latency(CONSOLE_TEXTS.cards.upstream, found.upstream.p99Ms, 'venue', LIMITS.venueSlowestMs)}
      {latency(CONSOLE_TEXTS.cards.loop, loop, 'loop', LIMITS.loopDelayMs)}
      <Tile
        name={CONSOLE_TEXTS.cards.hits}
        value={share(kept, kept + sum('misses'))}
        note={CONSOLE_TEXTS.cards.sinceStart}
      />
      <Tile
        name={CONSOLE_TEXTS.cards.memory}
        value={bytes(found.memory.residentBytes)}
        note={CONSOLE_TEXTS.cards.process}
      />
      <Tile
        name={CONSOLE_TEXTS.cards.store}
        value={stored === null ? '–' : bytes(stored)}
        note={stored === null ? CONSOLE_TEXTS.state.shared : CONSOLE_TEXTS.cards.onDisk}
      />
    </dl>
  )
}

type TileProps = {
  readonly name: string
  readonly value: string
  readonly note?: string
  /** The text of the bound for a good state. */
  readonly limit?: string
  readonly state?: TileState
}

function Tile({ name, value, note, limit, state = '' }: TileProps) {
  return (
    <div class={`panel ${state}`} data-state={state}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="limits">
        {limit === undefined ? note : filledTemplate(CONSOLE_TEXTS.cards.limit, { limit })}
      </dd>
    </div>
  )
}

type TileState = 'well' | 'warned' | 'ill' | ''

/** The state of a figure: the level of its worst reason in the verdict, or `well` without a reason. */
function tileState(verdict: ConsoleFigures['verdict'], tile: TileName): TileState {
  const worst = verdict.find((reason) => reason.tile === tile)
  if (!worst) return 'well'
  return worst.level === 'page' ? 'ill' : 'warned'
}

/** Maximum number of reasons that are listed; the rest are counted. */
const SHOWN_MAX = 3

/** Says that all is well, or shows the worst problems, each with a link to details. */
export function VerdictPanel({ found: { verdict } }: Props) {
  const rest = verdict.length - SHOWN_MAX
  if (verdict.length === 0) {
    return (
      <p class="verdict well" role="status">
        {CONSOLE_TEXTS.verdict.well}
      </p>
    )
  }
  return (
    <div class={`verdict ${verdict[0]?.level === 'page' ? 'ill' : 'warned'}`} role="status">
      <ul>
        {verdict.slice(0, SHOWN_MAX).map(({ title, figure, action, at }) => (
          <li key={title}>
            <a href={`#${at}`}>{title}</a>{' '}
            <span>
              {figure} {action}
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <span>{filledTemplate(CONSOLE_TEXTS.verdict.rest, { count: rest })}</span>}
    </div>
  )
}
