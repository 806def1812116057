import { MINUTE_MS } from '../../../../spec/durations.ts'
import { rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { publicRead } from '../../feed/public-read.ts'
import { V } from '../../messages/vaults.ts'
import { AmountTile, Tile } from '../figures/tiles.tsx'
import { ReadFailure } from '../parts/reading.tsx'
import { Chosen } from './chosen.tsx'
import { List } from './list.tsx'

const overall = publicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.overallStats')

/** The venue's strategy vaults: all together, each in a list, and one in full. */
export function Page() {
  return (
    <>
      <div class="title">
        <h1>{V.title}</h1>
      </div>
      <p class="quiet">{V.why}</p>
      <Overall />
      <List />
      <Chosen />
    </>
  )
}

function Overall() {
  const [row] = rowsOf(overall.reading.value.data, 'rows')
  return (
    <section aria-label={V.all}>
      <ReadFailure read={overall} />
      <dl class="tiles">
        <AmountTile name={V.tiles.tvl} value={figureOf(row, 'strategy_vaults_tvl')} />
        <AmountTile
          name={V.tiles.pnl}
          value={figureOf(row, 'strategy_vaults_lifetime_net_pnl')}
          isSigned
        />
        <Tile name={V.tiles.count} value={textOf(row, 'strategy_vaults_count') || null} />
        <Tile name={V.tiles.holders} value={textOf(row, 'strategy_vaults_lp_count') || null} />
      </dl>
    </section>
  )
}
