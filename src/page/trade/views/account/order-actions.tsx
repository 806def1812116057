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

/** Cancels every order of the list above it. */
export function CancelAll({ onCancel }: Pick<OfOrder, 'onCancel'>) {
  return (
    <p class="row inset">
      <button type="button" disabled={isBusy.value || !canTrade.value} onClick={onCancel}>
        {A.lists.cancelAll}
      </button>
    </p>
  )
}
