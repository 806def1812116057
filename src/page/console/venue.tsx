import type { ConsoleFigures } from '../../spec/console/figures.ts'
import type { LiveBooks } from '../../spec/venue/paper.ts'
import { age, clockTime, fill } from '../common/format.ts'
import { Pairs } from '../common/pairs.tsx'
import { Table } from '../common/table.tsx'
import { count, milliseconds } from './figures-text.ts'
import { M } from './messages.ts'
import { Panel } from './tables.tsx'

type Props = { readonly found: ConsoleFigures }

/** What the venue was asked, and how it answered. */
export function Venue({ found: { atMs, upstream, venue } }: Props) {
  const faults = upstream.faults.map(({ name, count: times }) => `${name} ${count(times)}`)
  return (
    <Panel title={M.upstream.title} id="venue">
      <Pairs
        rows={[
          [M.upstream.calls, count(upstream.total)],
          [
            'p50 / p95 / p99',
            [upstream.p50Ms, upstream.p95Ms, upstream.p99Ms].map(milliseconds).join(' / '),
          ],
          [M.upstream.faults, faults.join(', ') || M.upstream.none],
          ...(venue.kind !== 'live'
            ? [[M.upstream.venueFaults, count(venue.faults)] as const]
            : []),
          ...(venue.books === null ? [] : bookRows(venue.books, atMs)),
        ]}
      />
    </Panel>
  )
}

function bookRows(
  { markets, known, marksAtMs, awaySinceMs }: LiveBooks,
  nowMs: number,
): readonly (readonly [string, string])[] {
  const H = M.upstream
  const at = awaySinceMs === null ? '' : clockTime(awaySinceMs)
  const text = awaySinceMs === null ? H.booksKnown : H.booksAway
  const ago = marksAtMs === null ? H.noMarks : fill(H.marksAgo, { age: age(nowMs - marksAtMs) })
  return [
    [H.books, fill(text, { known, markets, at })],
    [H.marks, ago],
  ]
}

/** What the venue answers otherwise than this release knows; nothing where there is no difference. */
export function Changes({ found: { venue } }: Props) {
  const H = M.changes
  if (venue.changes.length === 0) return null
  return (
    <Panel title={H.title} why={H.why}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        <Table head={H.head}>
          {venue.changes.map(({ operation, kind, field, found, count: times, sinceMs }) => (
            <tr key={`${operation} ${kind} ${field}`}>
              <td>{operation}</td>
              <td>{field}</td>
              <td>{fill(H.kinds[kind], { found })}</td>
              <td>{count(times)}</td>
              <td class="quiet">{clockTime(sinceMs)}</td>
            </tr>
          ))}
        </Table>
      </div>
    </Panel>
  )
}
