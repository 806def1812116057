import { fill, fixed, monthOf, signed, toneOf } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { P } from '../../messages/portfolio.ts'
import { type Day, netOf } from '../../portfolio/changes.ts'
import { days } from '../../portfolio/state.ts'
import { Cell } from '../account/table.tsx'

const SHOWN_MAX = 60

/** What each day won, paid and moved. */
export function Days() {
  const { value } = days
  if (!value) return null
  return (
    <section class="panel lists days" aria-label={P.days.title}>
      <div class="head">
        <h2>{P.days.title}</h2>
        <span class="end quiet">{P.days.zone}</span>
      </div>
      {value.length === 0 ? (
        <p class="empty">{P.days.empty}</p>
      ) : (
        <Table head={P.days.head}>
          {value.slice(0, SHOWN_MAX).map((day) => (
            <DayRow key={day.startMs} day={day} />
          ))}
        </Table>
      )}
      {value.length > SHOWN_MAX && (
        <p class="inside quiet">{fill(P.days.more, { count: SHOWN_MAX })}</p>
      )}
    </section>
  )
}

function DayRow({ day }: { readonly day: Day }) {
  const [head, pnl, fees, funding, net, moved] = P.days.head
  return (
    <tr>
      <Cell name={head}>{dayOf(day.startMs)}</Cell>
      <Amount name={pnl} value={day.pnl} />
      <Amount name={fees} value={day.fee} />
      <Amount name={funding} value={day.funding} />
      <Amount name={net} value={netOf(day)} />
      <Cell name={moved}>{day.transfer === 0n ? fixed(0n, 2) : signed(day.transfer, 2)}</Cell>
    </tr>
  )
}

function Amount({ name, value }: { readonly name: string; readonly value: bigint }) {
  return (
    <Cell name={name} class={toneOf(value, 2)}>
      {signed(value, 2)}
    </Cell>
  )
}

/** A day of UTC, such as `21 Nov 2026`. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs)
  return `${at.getUTCDate()} ${monthOf(at.getUTCMonth())} ${at.getUTCFullYear()}`
}
