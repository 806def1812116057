import { absolute } from '../../../../core/decimals.ts'
import { filledTemplate } from '../../../common/format.ts'
import type { Conditional } from '../../account/conditional.ts'
import { positionProtection } from '../../account/legs.ts'
import type { AccountPosition } from '../../account/rows.ts'
import { conditionals, openList } from '../../account/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { legPrices, triggerText } from '../../orders/conditional-outcomes.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'

/** The text of an order that closes a part of a position: its triggers and size. */
export function partText(part: Conditional): string {
  const { symbol, size } = part
  return `${triggerText(part)} · ${sizeText(symbol, size)} ${symbolBase(symbol)}`
}

/**
 * The protection of a position: triggers that close the whole position, and triggers that close a part. Several parts
 * are only counted.
 */
export function Protection({ position }: { readonly position: AccountPosition }) {
  const { whole, parts } = positionProtection(conditionals.value, position)
  const [only, other] = parts
  if (!whole && !only) return <>{PAGE_TEXTS.none}</>
  return (
    <>
      {whole &&
        legPrices(whole).map(([leg, at]) => (
          <div key={leg}>{`${ACCOUNT_TEXTS.lists.legs[leg]} ${priceText(whole.symbol, at)}`}</div>
        ))}
      {only && !other && (
        <div>{only.size === absolute(position.size) ? triggerText(only) : partText(only)}</div>
      )}
      {other && (
        <button
          type="button"
          class="link"
          title={ACCOUNT_TEXTS.lists.protectedByWhy}
          onClick={() => {
            openList.value = 'conditional'
          }}
        >
          {filledTemplate(ACCOUNT_TEXTS.lists.protectedBy, { count: parts.length })}
        </button>
      )}
    </>
  )
}
