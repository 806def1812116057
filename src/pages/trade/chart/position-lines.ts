import { amountNumber } from '../../../perp/amounts.ts'
import { type AccountPosition, positionKey } from '../account/rows.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'

type Held = Pick<AccountPosition, 'symbol' | 'isIsolated' | 'entry' | 'liquidation'>

/** The chart lines of a market's positions. With positions in both margin modes, each line names its mode. */
export function positionLines(rows: readonly Held[]) {
  return rows.flatMap((row) => {
    const { isIsolated, entry, liquidation } = row
    const mode =
      rows.length > 1 ? ` ${isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross}` : ''
    const line = <Kind extends string>(name: 'entry' | 'liquidation', at: bigint, kind: Kind) => ({
      ...{ key: `${positionKey(row)} ${name}`, price: amountNumber(at), kind, canMove: false },
      title: PAGE_TEXTS.chart[name] + mode,
    })
    const held = line('entry', entry, 'accent')
    return liquidation > 0n ? [held, line('liquidation', liquidation, 'warn')] : [held]
  })
}
