import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { fill, fixed } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { Table } from '../../../common/table.tsx'
import { FIGURES } from '../../messages/figures.ts'
import { V } from '../../messages/vaults.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, MarketCell, PercentCell, PlainCell, SideCell } from '../figures/cells.tsx'
import { shortId } from '../parts/dialog.tsx'
import { ReadingPanel } from '../parts/reading.tsx'
import { dayOf } from '../portfolio/days.tsx'
import { chosen, performance, positions } from './state.ts'

/** The terms, results and positions of the chosen vault. */
export function Chosen() {
  const { value: vault } = chosen
  if (!vault) return null
  return (
    <>
      <section class="panel" aria-label={V.terms.title}>
        <div class="head">
          <h2>{textOf(vault, 'vault_name')}</h2>
        </div>
        <div class="inside">
          <p>{textOf(vault, 'description')}</p>
          <Pairs rows={termsOf(vault)} />
        </div>
      </section>
      <Performance />
      <Positions />
    </>
  )
}

function termsOf(vault: Exact): readonly (readonly [string, string])[] {
  const { terms } = V
  const usdc = (name: string) => {
    const value = figureOf(vault, name)
    return value === null ? FIGURES.unknown : fill(FIGURES.usdc, { amount: fixed(value, 2) })
  }
  const text = (name: string) => textOf(vault, name) || FIGURES.unknown
  const fee = figureOf(vault, 'performance_fee_rate')
  const price = figureOf(vault, 'est_main_share_price')
  const lock = textOf(vault, 'lock_duration')
  const startMs = textOf(vault, 'vault_start_time')
  const chains = rowsOf(vault, 'supported_chains').map((row) => textOf(row, 'chain_name'))
  return [
    [terms.provider, `${text('sp_name')} (${shortId(text('sp_address'))})`],
    [terms.status, text('status')],
    [terms.since, startMs ? dayOf(Number(startMs)) : FIGURES.unknown],
    [terms.fee, fee === null ? FIGURES.unknown : `${fixed(fee * 100n, 2)}%`],
    [terms.lock, lock ? fill(V.hours, { count: lock }) : FIGURES.unknown],
    [terms.deposit, usdc('min_deposit_amount')],
    [terms.withdrawal, usdc('min_withdrawal_amount')],
    [terms.price, price === null ? FIGURES.unknown : fixed(price, 6)],
    [terms.chains, chains.join(', ') || FIGURES.unknown],
  ]
}

function Performance() {
  const rows = rowsOf(performance.reading.value.data, 'rows')
  const head = V.performanceHead
  return (
    <ReadingPanel
      title={V.performance}
      read={performance}
      empty={rows.length === 0 ? V.performanceEmpty : null}
    >
      <Table head={Object.values(head)}>
        {rows.map((row) => {
          const period = textOf(row, 'time_range')
          return (
            <tr key={period}>
              <Cell name={head.period}>{V.periods[period] ?? period}</Cell>
              <AmountCell name={head.pnl} value={figureOf(row, 'incremental_net_pnl')} isSigned />
              <PercentCell name={head.fall} value={figureOf(row, 'max_drawdown')} />
              <AmountCell name={head.volume} value={figureOf(row, 'volume')} />
              <AmountCell name={head.fees} value={figureOf(row, 'fees')} />
            </tr>
          )
        })}
      </Table>
    </ReadingPanel>
  )
}

function Positions() {
  const rows = rowsOf(positions.reading.value.data, 'rows')
  const head = V.positionsHead
  return (
    <ReadingPanel
      title={V.positions}
      read={positions}
      empty={rows.length === 0 ? V.positionsEmpty : null}
    >
      <Table head={Object.values(head)}>
        {rows.map((row) => (
          <tr key={textOf(row, 'symbol')}>
            <MarketCell name={head.market} row={row} />
            <SideCell name={head.size} row={row} />
            <PlainCell name={head.entry} row={row} figure="average_open_price" />
            <PlainCell name={head.mark} row={row} figure="mark_price" />
          </tr>
        ))}
      </Table>
    </ReadingPanel>
  )
}
