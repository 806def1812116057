import { signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../contract/durations.ts'
import type { LEADERBOARD_WINDOWS } from '../../../../contract/market/leaderboard.ts'
import { type Exact, memberRows, memberText } from '../../../common/exact-json.ts'
import { clockTime, filledTemplate } from '../../../common/format.ts'
import { session } from '../../account/session.ts'
import { createPublicRead } from '../../feed/public-read.ts'
import { LEADERBOARD_TEXTS } from '../../messages/leaderboard.ts'
import { PageFrame } from '../connect/frame.tsx'
import { shortId } from '../parts/dialog.tsx'
import { figureColumn } from '../parts/figures.tsx'
import { Segments } from '../parts/form.tsx'
import { ReadingTable } from '../parts/reading.tsx'

type Ranking = keyof typeof LEADERBOARD_TEXTS.ranks
type Period = (typeof LEADERBOARD_WINDOWS)[number]

const ROWS_MAX = 50
/** The route ranks whales only over this period. */
const WHALES_PERIOD: Period = '24h'

const ranking = signal<Ranking>('volume')
const period = signal<Period>('24h')

const read = createPublicRead('leaderboard', MINUTE_MS, () =>
  ranking.value === 'whales'
    ? `/api/prep/whales?limit=${ROWS_MAX}`
    : `/api/prep/leaderboard?window=${period.value}&sort=${ranking.value}&limit=${ROWS_MAX}`,
)

/** The page of traders with the most volume, PnL or open notional, as the venue ranks them. */
export function LeaderboardPage() {
  const { data } = read.reading.value
  const updatedAt = memberText(data, 'updatedAt')
  const shown = {
    period: LEADERBOARD_TEXTS.periods[ranking.value === 'whales' ? WHALES_PERIOD : period.value],
  }
  return (
    <PageFrame title={LEADERBOARD_TEXTS.title} why={LEADERBOARD_TEXTS.why}>
      <Choices />
      <ReadingTable
        title={LEADERBOARD_TEXTS.names[ranking.value]}
        read={read}
        empty={LEADERBOARD_TEXTS.empty}
        end={
          updatedAt && (
            <span class="quiet">
              {filledTemplate(LEADERBOARD_TEXTS.asOf, { time: clockTime(Number(updatedAt)) })}
            </span>
          )
        }
        columns={[
          [LEADERBOARD_TEXTS.head.trader, traderCell],
          figureColumn(filledTemplate(LEADERBOARD_TEXTS.head.volume, shown), 'volume', 'amount'),
          figureColumn(filledTemplate(LEADERBOARD_TEXTS.head.pnl, shown), 'pnl', 'gain'),
          figureColumn(LEADERBOARD_TEXTS.head.notional, 'notional', 'amount'),
        ]}
        rows={memberRows(data, 'rows')}
        keyOf={(row) => memberText(row, 'rank')}
      />
    </PageFrame>
  )
}

function Choices() {
  return (
    <div class="row">
      <Segments
        label={LEADERBOARD_TEXTS.rank}
        kind="periods"
        options={LEADERBOARD_TEXTS.ranks}
        chosen={ranking}
      />
      {ranking.value !== 'whales' && (
        <Segments
          label={LEADERBOARD_TEXTS.period}
          kind="periods"
          options={LEADERBOARD_TEXTS.periods}
          chosen={period}
        />
      )}
    </div>
  )
}

function traderCell(row: Exact) {
  const address = memberText(row, 'address')
  return (
    <>
      <span class="quiet">{memberText(row, 'rank')}</span> {address}{' '}
      {isOwn(address) && <b>({LEADERBOARD_TEXTS.you})</b>}
    </>
  )
}

/** Whether a shortened address belongs to the open account's wallet. */
function isOwn(address: string): boolean {
  const { value: key } = session
  return key !== null && shortId(key.address).toLowerCase() === address.toLowerCase()
}
