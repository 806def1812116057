import { fill } from '../../../common/format.ts'
import { canTrade } from '../../account/session.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { isBusy } from '../../orders/switches.ts'

type OfOrder = {
  readonly id: string
  /** False for an order that has nothing to change. */
  readonly canEdit?: boolean
  readonly onEdit: () => void
  readonly onCancel: () => void
}

/** The cell of an open order's actions: they stand still while something is under way. */
export function OrderActions({ id, canEdit = true, onEdit, onCancel }: OfOrder) {
  const isStill = isBusy.value || !canTrade.value
  return (
    <td class="actions">
      <div>
        <button
          type="button"
          disabled={isStill || !canEdit}
          aria-label={fill(A.lists.editOf, { id })}
          onClick={onEdit}
        >
          {A.lists.edit}
        </button>
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.cancelOf, { id })}
          onClick={onCancel}
        >
          {M.cancel}
        </button>
      </div>
    </td>
  )
}

type OfAll = { readonly label: string; readonly onPress: () => void }

/** The button in the head of a list that does something with all of its rows. */
export function ForAll({ label, onPress }: OfAll) {
  return (
    <button type="button" disabled={isBusy.value || !canTrade.value} onClick={onPress}>
      {label}
    </button>
  )
}
