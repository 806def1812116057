import type { ComponentChildren } from 'preact'
import { canTrade } from '../../account/session.ts'
import { isBusy, isExiting } from '../../orders/switches.ts'

type Props = {
  /** The accessible name, if other buttons have the same visible text. */
  readonly name?: string
  readonly title?: string | undefined
  readonly class?: string
  readonly isStill?: boolean
  /** Whether the write only cancels or reduces, so that the button stays enabled during other writes. */
  readonly isExit?: boolean
  readonly onPress: () => unknown
  readonly children: ComponentChildren
}

/** A button that starts a write. It is disabled during a write that it has to wait for, and if the key may not trade. */
export function WriteButton({
  name,
  title,
  class: look,
  isStill = false,
  isExit = false,
  onPress,
  children,
}: Props) {
  return (
    <button
      type="button"
      class={look}
      disabled={isStill || (isExit ? isExiting : isBusy).value || !canTrade.value}
      aria-label={name}
      title={title}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  )
}
