import { signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../spec/durations.ts'
import type { LEADERBOARD_WINDOWS } from '../../../../spec/market/leaderboard.ts'
import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { clockTime, fill } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { session } from '../../account/session.ts'
import { publicRead } from '../../feed/public-read.ts'
import { L } from '../../messages/leaderboard.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell } from '../figures/cells.tsx'
import { shortId } from '../parts/dialog.tsx'
import { Segments } from '../parts/form.tsx'
import { ReadingPanel } from '../parts/reading.tsx'

type Ranking = keyof typeof L.ranks
type Period = (typeof LEADERBOARD_WINDOWS)[number]

const ROWS_MAX = 50
/** The route ranks whales over this period alone. */
const WHALES_PERIOD: Period = '24h'

const ranking = signal<Ranking>('volume')
const period = signal<Period>('24h')

const read = publicRead('leaderboard', MINUTE_MS, () =>
  ranking.value === 'whales'
    ? `/api/prep/whales?limit=${ROWS_MAX}`
    : `/api/prep/leaderboard?window=${period.value}&sort=${ranking.value}&limit=${ROWS_MAX}`,
)

/** The traders with the most volume, profit or open positions, as the venue ranks them. */
export function Page() {
  const { data } = read.reading.value
  const rows = rowsOf(data, 'rows')
  const updatedAt = textOf(data, 'updatedAt')
  return (
    <>
      <div class="title">
        <h1>{L.title}</h1>
      </div>
      <p class="quiet">{L.why}</p>
      <Choices />
      <ReadingPanel
        title={L.names[ranking.value]}
        read={read}
        empty={rows.length === 0 ? L.empty : null}
        end={
          updatedAt && (
            <span class="quiet">{fill(L.asOf, { time: clockTime(Number(updatedAt)) })}</span>
          )
        }
      >
        <Ranks rows={rows} />
      </ReadingPanel>
    </>
  )
}

function Choices() {
  return (
    <div class="row">
      <Segments
        label={L.rank}
        kind="periods"
        options={[
          ['volume', L.ranks.volume],
          ['pnl', L.ranks.pnl],
          ['whales', L.ranks.whales],
        ]}
        chosen={ranking}
      />
      {ranking.value !== 'whales' && (
        <Segments
          label={L.period}
          kind="periods"
          options={[
            ['24h', L.periods['24h']],
            ['7d', L.periods['7d']],
            ['30d', L.periods['30d']],
          ]}
          chosen={period}
        />
      )}
    </div>
  )
}

function Ranks({ rows }: { readonly rows: readonly Exact[] }) {
  const { trader, notional } = L.head
  const shown = L.periods[ranking.value === 'whales' ? WHALES_PERIOD : period.value]
  const volume = fill(L.head.volume, { period: shown })
  const pnl = fill(L.head.pnl, { period: shown })
  return (
    <Table head={[trader, volume, pnl, notional]}>
      {rows.map((row) => (
        <tr key={textOf(row, 'rank')}>
          <Cell name={trader}>
            <span class="quiet">{textOf(row, 'rank')}</span> {textOf(row, 'address')}{' '}
            {isOwn(textOf(row, 'address')) && <b>({L.you})</b>}
          </Cell>
          <AmountCell name={volume} value={figureOf(row, 'volume')} />
          <AmountCell name={pnl} value={figureOf(row, 'pnl')} isSigned />
          <AmountCell name={notional} value={figureOf(row, 'notional')} />
        </tr>
      ))}
    </Table>
  )
}

/** Whether the ends of an address are those of the wallet whose account is open. */
function isOwn(address: string): boolean {
  const { value: key } = session
  return key !== null && shortId(key.address).toLowerCase() === address.toLowerCase()
}
