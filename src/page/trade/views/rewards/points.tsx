import { type Exact, memberOf, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { fill, fixed, placesOf } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { R } from '../../messages/rewards.ts'
import { Cell } from '../account/table.tsx'
import { PlainCell } from '../figures/cells.tsx'
import { Tile } from '../figures/tiles.tsx'
import { ReadingPanel } from '../parts/reading.tsx'
import { dayOf } from '../portfolio/days.tsx'
import { points } from './state.ts'

const TILES = [
  'total_points',
  'global_rank',
  'tier',
  'current_epoch_points',
  'current_epoch_rank',
] as const

/** The points of the wallet: all, and by epoch. */
export function Points() {
  const { data } = points.reading.value
  const merits = memberOf(data, 'merits') ?? null
  const isOff = memberOf(data, 'enabled') === false
  const none = isOff ? R.pointsOff : R.pointsEmpty
  return (
    <ReadingPanel title={R.points} read={points} empty={merits === null ? none : null}>
      <div class="inside">
        <dl class="tiles">
          {TILES.map((name) => (
            <Tile key={name} name={R.tiles[name]} value={figureText(merits, name)} />
          ))}
        </dl>
      </div>
      <Epochs answer={data} rows={rowsOf(merits, 'rows')} />
    </ReadingPanel>
  )
}

type EpochsProps = { readonly answer: Exact; readonly rows: readonly Exact[] }

function Epochs({ answer, rows }: EpochsProps) {
  const head = R.epochsHead
  if (rows.length === 0) return <p class="empty">{R.epochsEmpty}</p>
  return (
    <Table head={Object.values(head)}>
      {rows.map((row) => (
        <tr key={textOf(row, 'epoch_id')}>
          <Cell name={head.epoch}>{epochOf(answer, textOf(row, 'epoch_id'))}</Cell>
          <PlainCell name={head.points} row={row} figure="points" />
          <PlainCell name={head.rank} row={row} figure="rank" />
        </tr>
      ))}
    </Table>
  )
}

function figureText(merits: Exact, name: string): string | null {
  const value = figureOf(merits, name)
  return value === null ? null : fixed(value, placesOf(textOf(merits, name)))
}

/** The days of an epoch; its number where the answer does not have them. */
function epochOf(answer: Exact, id: string): string {
  const epochs = rowsOf(memberOf(answer, 'epochs'), 'rows')
  const epoch = epochs.find((row) => textOf(row, 'epoch_id') === id)
  if (!epoch) return fill(R.epoch, { id })
  const [from, to] = ['epoch_start_date', 'epoch_end_date'].map((name) =>
    dayOf(Number(textOf(epoch, name))),
  )
  return fill(R.days, { from: from ?? '', to: to ?? '' })
}
