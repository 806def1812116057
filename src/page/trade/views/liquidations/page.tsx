import { rowsOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { fixed } from '../../../common/format.ts'
import { publicRead } from '../../feed/public-read.ts'
import { L } from '../../messages/liquidations.ts'
import { AmountTile, Tile } from '../figures/tiles.tsx'
import { ReadFailure, ReadingPanel } from '../parts/reading.tsx'
import { Now, Past } from './tables.tsx'

const EVERY_MS = 30_000

const now = publicRead('liquidations', EVERY_MS, () => '/api/prep/op/liquidations.open')
const past = publicRead('liquidations', EVERY_MS, () => '/api/prep/liquidations?size=100')
const fund = publicRead('liquidations', EVERY_MS, () => '/api/prep/insurance-fund')

/** The positions that the venue liquidates and has liquidated, and the fund that pays for what they cannot. */
export function Page() {
  const [current, latest] = [now, past].map((read) => rowsOf(read.reading.value.data, 'rows'))
  return (
    <>
      <div class="title">
        <h1>{L.title}</h1>
      </div>
      <p class="quiet">{L.why}</p>
      <Fund />
      <ReadingPanel title={L.now} read={now} empty={current?.length ? null : L.nowEmpty}>
        <Now rows={current ?? []} />
      </ReadingPanel>
      <ReadingPanel title={L.past} read={past} empty={latest?.length ? null : L.pastEmpty}>
        <Past rows={latest ?? []} />
      </ReadingPanel>
    </>
  )
}

function Fund() {
  const { data } = fund.reading.value
  const ratio = figureOf(data, 'margin_ratio')
  return (
    <section aria-label={L.fund}>
      <h2>{L.fund}</h2>
      <ReadFailure read={fund} />
      <dl class="tiles">
        <AmountTile name={L.tiles.balance} value={figureOf(data, 'balance')} />
        <AmountTile name={L.tiles.value} value={figureOf(data, 'total_account_value')} />
        <Tile name={L.tiles.margin} value={ratio === null ? null : `${fixed(ratio * 100n, 2)}%`} />
        <AmountTile name={L.tiles.pnl} value={figureOf(data, 'total_pnl_24_h')} isSigned />
      </dl>
    </section>
  )
}
