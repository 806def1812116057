import { MINUTE_MS } from '../../../../contract/durations.ts'
import { shownPage } from '../../../common/address.ts'
import { type Exact, memberRows, memberText, memberValue } from '../../../common/exact-json.ts'
import { memberFigure, utcDayText } from '../../../common/figure.ts'
import { filledTemplate, fixedText, tickPlaces } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import { refreshAccount, session } from '../../account/session.ts'
import { accountTopic, SLOW_MS } from '../../account/state.ts'
import { createPublicRead, type PublicRead } from '../../feed/public-read.ts'
import { followTopic } from '../../feed/service.ts'
import { REWARDS_TEXTS } from '../../messages/rewards.ts'
import { PageFrame } from '../connect/frame.tsx'
import { shortId } from '../parts/dialog.tsx'
import { FigureTile, figureColumn, plainFigures } from '../parts/figures.tsx'
import { ReadingPanel, ReadingTable } from '../parts/reading.tsx'

/** The read of the account's referrals. */
const referral: PublicRead = {
  reading: followTopic(() =>
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
      title={REWARDS_TEXTS.title}
      end={
        key && (
          <span class="quiet" title={key.address}>
            {shortId(key.address)}
          </span>
        )
      }
      nobody={REWARDS_TEXTS.nobody}
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
  return (
    <p class="quiet">
      {code ? filledTemplate(REWARDS_TEXTS.joined, { code }) : REWARDS_TEXTS.notJoined}
    </p>
  )
}

const CODE_COLUMNS: readonly Column<Exact>[] = [
  [REWARDS_TEXTS.codesHead.code, (row) => memberText(row, 'code')],
  figureColumn(REWARDS_TEXTS.codesHead.own, 'referrer_rebate_rate', 'ratio'),
  figureColumn(REWARDS_TEXTS.codesHead.theirs, 'referee_rebate_rate', 'ratio'),
  plainFigures(REWARDS_TEXTS.codesHead.invites, 'total_invites'),
  plainFigures(REWARDS_TEXTS.codesHead.traded, 'total_traded'),
]

/** The account's referral codes with their rebates. */
function Codes() {
  return (
    <ReadingTable
      title={REWARDS_TEXTS.codes}
      read={referral}
      empty={REWARDS_TEXTS.codesEmpty}
      columns={CODE_COLUMNS}
      rows={memberRows(memberValue(referral.reading.value.data, 'referrer_info'), 'referral_codes')}
      keyOf={(row) => memberText(row, 'code')}
    />
  )
}

const PERIODS = ['1d', '7d', '30d', 'total'] as const

const PERIOD_COLUMNS: readonly Column<Exact>[] = [
  [REWARDS_TEXTS.periodsHead.period, (row) => memberText(row, 'name')],
  plainFigures(REWARDS_TEXTS.periodsHead.invites, 'invites'),
  plainFigures(REWARDS_TEXTS.periodsHead.traded, 'traded'),
  figureColumn(REWARDS_TEXTS.periodsHead.volume, 'volume', 'amount'),
  figureColumn(REWARDS_TEXTS.periodsHead.rebate, 'rebate', 'amount'),
  figureColumn(REWARDS_TEXTS.periodsHead.own, 'own', 'amount'),
]

/** The results of referrals per period. */
function Periods() {
  const { data } = referral.reading.value
  const [info, referee] = [memberValue(data, 'referrer_info'), memberValue(data, 'referee_info')]
  const rows = PERIODS.map((period) => ({
    name: REWARDS_TEXTS.periodNames[period],
    invites: memberText(info, `${period}_invites`),
    traded: memberText(info, `${period}_traded`),
    volume: memberText(info, `${period}_referee_volume`),
    rebate: memberText(info, `${period}_referrer_rebate`),
    own: memberText(referee, `${period}_referee_rebate`),
  }))
  return (
    <ReadingTable
      title={REWARDS_TEXTS.periods}
      read={referral}
      empty={REWARDS_TEXTS.periodsEmpty}
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
  const none = isOff ? REWARDS_TEXTS.pointsOff : REWARDS_TEXTS.pointsEmpty
  return (
    <ReadingPanel title={REWARDS_TEXTS.points} read={points} empty={merits === null ? none : null}>
      <div class="inside">
        <dl class="tiles">
          {TILES.map((name) => (
            <FigureTile
              key={name}
              name={REWARDS_TEXTS.tiles[name]}
              value={figureText(merits, name)}
            />
          ))}
        </dl>
      </div>
      <Epochs rows={memberRows(merits, 'rows')} />
    </ReadingPanel>
  )
}

const EPOCH_COLUMNS: readonly Column<Exact>[] = [
  [REWARDS_TEXTS.epochsHead.epoch, (row) => epochText(memberText(row, 'epoch_id'))],
  plainFigures(REWARDS_TEXTS.epochsHead.points, 'points'),
  plainFigures(REWARDS_TEXTS.epochsHead.rank, 'rank'),
]

function Epochs({ rows }: { readonly rows: readonly Exact[] }) {
  if (rows.length === 0) return <p class="empty">{REWARDS_TEXTS.epochsEmpty}</p>
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
  if (!epoch) return filledTemplate(REWARDS_TEXTS.epoch, { id })
  const day = (name: string) => utcDayText(Number(memberText(epoch, name)))
  return filledTemplate(REWARDS_TEXTS.days, {
    from: day('epoch_start_date'),
    to: day('epoch_end_date'),
  })
}
