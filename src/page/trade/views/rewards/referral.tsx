import { memberOf, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { Table } from '../../../common/table.tsx'
import { R } from '../../messages/rewards.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, PercentCell, PlainCell } from '../figures/cells.tsx'
import { ReadingPanel } from '../parts/reading.tsx'
import { referral } from './state.ts'

/** The account's own codes, with what each pays. */
export function Codes() {
  const rows = rowsOf(memberOf(referral.reading.value.data, 'referrer_info'), 'referral_codes')
  const head = R.codesHead
  return (
    <ReadingPanel title={R.codes} read={referral} empty={rows.length === 0 ? R.codesEmpty : null}>
      <Table head={Object.values(head)}>
        {rows.map((row) => (
          <tr key={textOf(row, 'code')}>
            <Cell name={head.code}>{textOf(row, 'code')}</Cell>
            <PercentCell name={head.own} value={figureOf(row, 'referrer_rebate_rate')} />
            <PercentCell name={head.theirs} value={figureOf(row, 'referee_rebate_rate')} />
            <PlainCell name={head.invites} row={row} figure="total_invites" />
            <PlainCell name={head.traded} row={row} figure="total_traded" />
          </tr>
        ))}
      </Table>
    </ReadingPanel>
  )
}

const PERIODS = ['1d', '7d', '30d', 'total'] as const

/** What referrals came to in each period. */
export function Periods() {
  const { data } = referral.reading.value
  const info = memberOf(data, 'referrer_info') ?? null
  const referee = memberOf(data, 'referee_info')
  const head = R.periodsHead
  return (
    <ReadingPanel title={R.periods} read={referral} empty={info === null ? R.periodsEmpty : null}>
      <Table head={Object.values(head)}>
        {PERIODS.map((period) => (
          <tr key={period}>
            <Cell name={head.period}>{R.periodNames[period]}</Cell>
            <PlainCell name={head.invites} row={info} figure={`${period}_invites`} />
            <PlainCell name={head.traded} row={info} figure={`${period}_traded`} />
            <AmountCell name={head.volume} value={figureOf(info, `${period}_referee_volume`)} />
            <AmountCell name={head.rebate} value={figureOf(info, `${period}_referrer_rebate`)} />
            <AmountCell name={head.own} value={figureOf(referee, `${period}_referee_rebate`)} />
          </tr>
        ))}
      </Table>
    </ReadingPanel>
  )
}
