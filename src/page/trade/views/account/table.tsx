import type { ComponentChildren, JSX } from 'preact'
import { Table } from '../../../common/table.tsx'
import type { ListName } from '../../account/state.ts'
import { A } from '../../messages/account.ts'

type Props = {
  readonly list: ListName
  readonly head: readonly string[]
  /** Whether the list has come: an empty one that has not is not empty. */
  readonly isKnown: boolean
  readonly count: number
  readonly children: ComponentChildren
}

/** A table of an account, or the sentence that there is nothing in it. */
export function ListTable({ list, head, isKnown, count, children }: Props) {
  if (count === 0) return isKnown ? <p class="empty">{A.lists.empty[list]}</p> : null
  return <Table head={head}>{children}</Table>
}

type CellProps = JSX.IntrinsicElements['td'] & {
  /** What the cell is about: the heading over it, which a card shows beside it. */
  readonly name: string
}

/** A cell of a list, which names itself where rows are cards. */
export function Cell({ name, ...rest }: CellProps) {
  return <td data-name={name} {...rest} />
}

/** Whether the rows of a list have come. */
export type Known = { readonly isKnown: boolean }
