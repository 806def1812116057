import { figureOf } from '../../../common/figure.ts'
import { keyState, session } from '../../account/session.ts'
import { positionsReading } from '../../account/state.ts'
import { P } from '../../messages/portfolio.ts'
import { accountNow, statisticsReading } from '../../portfolio/state.ts'
import { Nobody } from '../connect/nobody.tsx'
import { AmountTile } from '../figures/tiles.tsx'
import { Stale, shortId } from '../parts/dialog.tsx'
import { PageLink } from '../parts/link.tsx'
import { Curve } from './curve.tsx'
import { Days } from './days.tsx'
import { Downloads } from './downloads.tsx'

/** What the account has, how it came to that, and its histories as files. */
export function Page() {
  const key = session.value
  return (
    <>
      <div class="title">
        <h1>{P.title}</h1>
        {key && (
          <span class="quiet" title={key.accountId}>
            {shortId(key.accountId)}
          </span>
        )}
        <Stale reading={positionsReading.value} afterMs={20_000} />
      </div>
      {!key || keyState.value !== 'active' ? (
        <Nobody text={P.nobody} />
      ) : (
        <>
          <Tiles />
          <Curve />
          <Days />
          <Downloads />
        </>
      )}
    </>
  )
}

function Tiles() {
  const { value: now } = accountNow
  const { data } = statisticsReading.value
  return (
    <dl class="tiles">
      <AmountTile name={P.tiles.equity} value={now?.equity ?? null} />
      <AmountTile name={P.tiles.unrealized} value={now?.unrealized ?? null} isSigned />
      <AmountTile name={P.tiles.unsettled} value={now?.unsettled ?? null} isSigned>
        <PageLink page="withdraw">{P.settle}</PageLink>
      </AmountTile>
      <AmountTile name={P.tiles.free} value={now?.free ?? null} />
      <AmountTile name={P.tiles.fees} value={figureOf(data, 'fees_paid_last_30_days')} />
      <AmountTile
        name={P.tiles.volume}
        value={figureOf(data, 'perp_trading_volume_last_30_days')}
      />
    </dl>
  )
}
