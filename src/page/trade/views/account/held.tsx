import { absolute } from '../../../../core/decimals.ts'
import { signed, toneOf } from '../../../common/format.ts'
import { positions } from '../../account/state.ts'
import { symbol } from '../../market/state.ts'
import { M } from '../../messages/page.ts'
import { baseOf, sizeText } from '../../orders/text.ts'
import { CloseAct, ProtectAct } from './positions.tsx'

/** The position in the market that is shown, where the lists are out of sight: its result, and what protects and closes it. */
export function Held() {
  const row = positions.value.find((each) => each.symbol === symbol.value)
  if (!row) return null
  const { size, unrealized } = row
  return (
    <div class="held">
      <p>
        <span>
          <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>{' '}
          {sizeText(row.symbol, absolute(size))} {baseOf(row.symbol)}
        </span>
        <span class={toneOf(unrealized, 2)}>{signed(unrealized, 2)} USDC</span>
      </p>
      <ProtectAct row={row} />
      <CloseAct row={row} />
    </div>
  )
}
