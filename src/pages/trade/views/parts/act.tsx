import type { ComponentChildren } from 'preact'
import { canTrade } from '../../account/session.ts'
import { mustWait } from '../../orders/pending-writes.ts'

type Props = {
  /** The accessible name, if other buttons have the same visible text. */
  readonly name?: string
  readonly title?: string | undefined
  readonly class?: string
  readonly isStill?: boolean
  /** The key of an exit, as in `exits`; null for a write that may open a position. */
  readonly exit?: string | null
  readonly onPress: () => unknown
  readonly children: ComponentChildren
}

/** A button that starts a write. It is disabled during a write that it has to wait for, and if the key may not trade. */
export function WriteButton({
  name,
  title,
  class: look,
  isStill = false,
  exit = null,
  onPress,
  children,
}: Props) {
  return (
    <button
      type="button"
      class={look}
      disabled={isStill || mustWait(exit) || !canTrade.value}
      aria-label={name}
      title={title}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  )
}
