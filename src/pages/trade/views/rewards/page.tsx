import { MINUTE_MS } from '../../../../contract/durations.ts'
import { shownPage } from '../../../common/address.ts'
import { type Exact, memberRows, memberText, memberValue } from '../../../common/exact-json.ts'
import { memberFigure, utcDayText } from '../../../common/figure.ts'
import { fill, fixedText, tickPlaces } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import { refreshAccount, session } from '../../account/session.ts'
import { accountTopic, SLOW_MS } from '../../account/state.ts'
import { createPublicRead, type PublicRead } from '../../feed/public-read.ts'
import { followed } from '../../feed/service.ts'
import { R } from '../../messages/rewards.ts'
import { PageFrame } from '../connect/frame.tsx'
import { shortId } from '../parts/dialog.tsx'
import { FigureTile, figureColumn, plainFigures } from '../parts/figures.tsx'
import { ReadingPanel, ReadingTable } from '../parts/reading.tsx'

/** The read of the account's referrals. */
const referral: PublicRead = {
  reading: followed(() =>
    shownPage.value === 'rewards' ? accountTopic('/v1/referral/info', SLOW_MS) : null,
  ),
  everyMs: SLOW_MS,
  refresh: refreshAccount,
}

/** The read of the points of the open account's wallet. */
const points = createPublicRead('rewards', MINUTE_MS, () =>
  session.value ? `/api/prep/points?address=${session.value.address}` : null,
)

/** The page of the account's referrals, their rebates, and its wallet's points. */
export function RewardsPage() {
  const key = session.value
  return (
    <PageFrame
      title={R.title}
      end={
        key && (
          <span class="quiet" title={key.address}>
            {shortId(key.address)}
          </span>
        )
      }
      nobody={R.nobody}
    >
      <Joined />
      <Codes />
      <Periods />
      <Points />
    </PageFrame>
  )
}

/** The referral code with which the account joined; nothing before it is known. */
function Joined() {
  const referee = memberValue(referral.reading.value.data, 'referee_info')
  if (referee === undefined) return null
  const code = memberText(referee, 'referer_code')
  return <p class="quiet">{code ? fill(R.joined, { code }) : R.notJoined}</p>
}

const CODE_COLUMNS: readonly Column<Exact>[] = [
  [R.codesHead.code, (row) => memberText(row, 'code')],
  figureColumn(R.codesHead.own, 'referrer_rebate_rate', 'ratio'),
  figureColumn(R.codesHead.theirs, 'referee_rebate_rate', 'ratio'),
  plainFigures(R.codesHead.invites, 'total_invites'),
  plainFigures(R.codesHead.traded, 'total_traded'),
]

/** The account's referral codes with their rebates. */
function Codes() {
  return (
    <ReadingTable
      title={R.codes}
      read={referral}
      empty={R.codesEmpty}
      columns={CODE_COLUMNS}
      rows={memberRows(memberValue(referral.reading.value.data, 'referrer_info'), 'referral_codes')}
      keyOf={(row) => memberText(row, 'code')}
    />
  )
}

const PERIODS = ['1d', '7d', '30d', 'total'] as const

const PERIOD_COLUMNS: readonly Column<Exact>[] = [
  [R.periodsHead.period, (row) => memberText(row, 'name')],
  plainFigures(R.periodsHead.invites, 'invites'),
  plainFigures(R.periodsHead.traded, 'traded'),
  figureColumn(R.periodsHead.volume, 'volume', 'amount'),
  figureColumn(R.periodsHead.rebate, 'rebate', 'amount'),
  figureColumn(R.periodsHead.own, 'own', 'amount'),
]

/** The results of referrals per period. */
function Periods() {
  const { data } = referral.reading.value
  const [info, referee] = [memberValue(data, 'referrer_info'), memberValue(data, 'referee_info')]
  const rows = PERIODS.map((period) => ({
    name: R.periodNames[period],
    invites: memberText(info, `${period}_invites`),
    traded: memberText(info, `${period}_traded`),
    volume: memberText(info, `${period}_referee_volume`),
    rebate: memberText(info, `${period}_referrer_rebate`),
    own: memberText(referee, `${period}_referee_rebate`),
  }))
  return (
    <ReadingTable
      title={R.periods}
      read={referral}
      empty={R.periodsEmpty}
      columns={PERIOD_COLUMNS}
      rows={info ? rows : []}
      keyOf={(row) => memberText(row, 'name')}
    />
  )
}

const TILES = [
  'total_points',
  'global_rank',
  'tier',
  'current_epoch_points',
  'current_epoch_rank',
] as const

/** The wallet's points, in total and per epoch. */
function Points() {
  const { data } = points.reading.value
  const merits = memberValue(data, 'merits') ?? null
  const isOff = memberValue(data, 'enabled') === false
  const none = isOff ? R.pointsOff : R.pointsEmpty
  return (
    <ReadingPanel title={R.points} read={points} empty={merits === null ? none : null}>
      <div class="inside">
        <dl class="tiles">
          {TILES.map((name) => (
            <FigureTile key={name} name={R.tiles[name]} value={figureText(merits, name)} />
          ))}
        </dl>
      </div>
      <Epochs rows={memberRows(merits, 'rows')} />
    </ReadingPanel>
  )
}

const EPOCH_COLUMNS: readonly Column<Exact>[] = [
  [R.epochsHead.epoch, (row) => epochText(memberText(row, 'epoch_id'))],
  plainFigures(R.epochsHead.points, 'points'),
  plainFigures(R.epochsHead.rank, 'rank'),
]

function Epochs({ rows }: { readonly rows: readonly Exact[] }) {
  if (rows.length === 0) return <p class="empty">{R.epochsEmpty}</p>
  return <Table columns={EPOCH_COLUMNS} rows={rows} keyOf={(row) => memberText(row, 'epoch_id')} />
}

function figureText(merits: Exact, name: string): string | null {
  const value = memberFigure(merits, name)
  return value === null ? null : fixedText(value, tickPlaces(value))
}

/** The first and last day of an epoch; its number if the answer has no days. */
function epochText(id: string): string {
  const epochs = memberRows(memberValue(points.reading.value.data, 'epochs'), 'rows')
  const epoch = epochs.find((row) => memberText(row, 'epoch_id') === id)
  if (!epoch) return fill(R.epoch, { id })
  const day = (name: string) => utcDayText(Number(memberText(epoch, name)))
  return fill(R.days, { from: day('epoch_start_date'), to: day('epoch_end_date') })
}
