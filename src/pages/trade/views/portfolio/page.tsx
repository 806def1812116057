import { memberFigure, utcDayText } from '../../../common/figure.ts'
import { changeTone, filledTemplate, fixedText, signed } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import { session } from '../../account/session.ts'
import { positionsReading } from '../../account/state.ts'
import { STALE_MS } from '../../feed/feed.ts'
import { PORTFOLIO_TEXTS } from '../../messages/portfolio.ts'
import { type DayChanges, dayNet } from '../../portfolio/changes.ts'
import { RECORD_NAMES } from '../../portfolio/records.ts'
import { isSaving, saveRecords } from '../../portfolio/save.ts'
import { accountNow, days, statisticsReading } from '../../portfolio/state.ts'
import { PageFrame } from '../connect/frame.tsx'
import { Stale, shortId } from '../parts/dialog.tsx'
import { AmountTile } from '../parts/figures.tsx'
import { PageLink } from '../parts/link.tsx'
import { ListPanel, Panel } from '../parts/panel.tsx'
import { Curve } from './curve.tsx'

/** The account's figures, its equity over time, and its histories as files. */
export function PortfolioPage() {
  const key = session.value
  const beside = (
    <>
      {key && (
        <span class="quiet" title={key.accountId}>
          {shortId(key.accountId)}
        </span>
      )}
      <Stale reading={positionsReading.value} afterMs={STALE_MS.account} />
    </>
  )
  return (
    <PageFrame title={PORTFOLIO_TEXTS.title} end={beside} nobody={PORTFOLIO_TEXTS.nobody}>
      <Tiles />
      <Curve />
      {days.value && <Days days={days.value} />}
      <Downloads />
    </PageFrame>
  )
}

function Tiles() {
  const { value: now } = accountNow
  const { data } = statisticsReading.value
  return (
    <dl class="tiles">
      <AmountTile name={PORTFOLIO_TEXTS.tiles.equity} value={now?.equity ?? null} />
      <AmountTile
        name={PORTFOLIO_TEXTS.tiles.unrealized}
        value={now?.unrealized ?? null}
        isSigned
      />
      <AmountTile name={PORTFOLIO_TEXTS.tiles.unsettled} value={now?.unsettled ?? null} isSigned>
        <PageLink page="withdraw">{PORTFOLIO_TEXTS.settle}</PageLink>
      </AmountTile>
      <AmountTile name={PORTFOLIO_TEXTS.tiles.free} value={now?.free ?? null} />
      <AmountTile
        name={PORTFOLIO_TEXTS.tiles.fees}
        value={memberFigure(data, 'fees_paid_last_30_days')}
      />
      <AmountTile
        name={PORTFOLIO_TEXTS.tiles.volume}
        value={memberFigure(data, 'perp_trading_volume_last_30_days')}
      />
    </dl>
  )
}

const SHOWN_MAX = 60

const gain = (name: string, of: (day: DayChanges) => bigint): Column<DayChanges> => [
  name,
  (day) => signed(of(day), 2),
  (day) => ({ class: changeTone(of(day), 2) }),
]

const DAY_COLUMNS: readonly Column<DayChanges>[] = [
  [PORTFOLIO_TEXTS.days.head.day, ({ startMs }) => utcDayText(startMs)],
  gain(PORTFOLIO_TEXTS.days.head.pnl, ({ pnl }) => pnl),
  gain(PORTFOLIO_TEXTS.days.head.fees, ({ fee }) => fee),
  gain(PORTFOLIO_TEXTS.days.head.funding, ({ funding }) => funding),
  gain(PORTFOLIO_TEXTS.days.head.net, dayNet),
  [
    PORTFOLIO_TEXTS.days.head.moved,
    ({ transfer }) => (transfer === 0n ? fixedText(0n, 2) : signed(transfer, 2)),
  ],
]

/** The list of each day's PnL, fees and transfers. */
function Days({ days: all }: { readonly days: readonly DayChanges[] }) {
  return (
    <ListPanel
      title={PORTFOLIO_TEXTS.days.title}
      end={<span class="end quiet">{PORTFOLIO_TEXTS.days.zone}</span>}
    >
      {all.length === 0 ? (
        <p class="empty">{PORTFOLIO_TEXTS.days.empty}</p>
      ) : (
        <Table
          columns={DAY_COLUMNS}
          rows={all.slice(0, SHOWN_MAX)}
          keyOf={({ startMs }) => startMs}
        />
      )}
      {all.length > SHOWN_MAX && (
        <p class="inside quiet">
          {filledTemplate(PORTFOLIO_TEXTS.days.more, { count: SHOWN_MAX })}
        </p>
      )}
    </ListPanel>
  )
}

/** The buttons that save the account's histories as files. */
function Downloads() {
  return (
    <Panel title={PORTFOLIO_TEXTS.csv.title}>
      <p class="quiet">{PORTFOLIO_TEXTS.csv.why}</p>
      <p class="row">
        {RECORD_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            disabled={isSaving.value}
            onClick={() => void saveRecords(name)}
          >
            {PORTFOLIO_TEXTS.csv.names[name]}
          </button>
        ))}
      </p>
    </Panel>
  )
}
