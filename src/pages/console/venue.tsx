import type { ConsoleFigures } from '../../contract/console/figures.ts'
import type { LiveBooks } from '../../contract/venue/paper.ts'
import { ageText, clockTime, filledTemplate } from '../common/format.ts'
import { Pairs, type Rows } from '../common/pairs.tsx'
import type { Column } from '../common/table.tsx'
import { countText, milliseconds } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { ConsolePanel, TablePanel } from './parts.tsx'

type Props = { readonly found: ConsoleFigures }

/** Figures about the calls to the venue: number, latency and faults. */
export function VenuePanel({ found: { atMs, upstream, venue } }: Props) {
  const faults = upstream.faults.map(({ name, count: times }) => `${name} ${countText(times)}`)
  return (
    <ConsolePanel title={CONSOLE_TEXTS.upstream.title} id="venue">
      <Pairs
        rows={[
          [CONSOLE_TEXTS.upstream.calls, countText(upstream.total)],
          [
            'p50 / p95 / p99',
            [upstream.p50Ms, upstream.p95Ms, upstream.p99Ms].map(milliseconds).join(' / '),
          ],
          [CONSOLE_TEXTS.upstream.faults, faults.join(', ') || CONSOLE_TEXTS.upstream.none],
          venue.kind !== 'live' && [CONSOLE_TEXTS.upstream.venueFaults, countText(venue.faults)],
          ...(venue.books === null ? [] : bookRows(venue.books, atMs)),
        ]}
      />
    </ConsolePanel>
  )
}

function bookRows({ markets, known, marksAtMs, awaySinceMs }: LiveBooks, nowMs: number): Rows {
  const H = CONSOLE_TEXTS.upstream
  const at = awaySinceMs === null ? '' : clockTime(awaySinceMs)
  const text = awaySinceMs === null ? H.booksKnown : H.booksAway
  const ago =
    marksAtMs === null ? H.noMarks : filledTemplate(H.marksAgo, { age: ageText(nowMs - marksAtMs) })
  return [
    [H.books, filledTemplate(text, { known, markets, at })],
    [H.marks, ago],
  ]
}

const [operation, field, difference, seen, since] = CONSOLE_TEXTS.changes.head

const CHANGE_COLUMNS: readonly Column<ConsoleFigures['venue']['changes'][number]>[] = [
  [operation, (row) => row.operation],
  [field, (row) => row.field, undefined, 'text'],
  [
    difference,
    ({ kind, found }) => filledTemplate(CONSOLE_TEXTS.changes.kinds[kind], { found }),
    undefined,
    'text',
  ],
  [seen, (row) => countText(row.count)],
  [since, ({ sinceMs }) => clockTime(sinceMs), () => ({ class: 'quiet' })],
]

/** Differences between the venue's answers and the shapes that this release knows; hidden without differences. */
export function Changes({ found: { venue } }: Props) {
  return (
    <TablePanel
      title={CONSOLE_TEXTS.changes.title}
      why={CONSOLE_TEXTS.changes.why}
      columns={CHANGE_COLUMNS}
      rows={venue.changes}
      keyOf={(row) => `${row.operation} ${row.kind} ${row.field}`}
    />
  )
}
