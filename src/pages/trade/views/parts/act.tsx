import type { ComponentChildren } from 'preact'
import { canTrade } from '../../account/session.ts'
import { isBusy } from '../../orders/switches.ts'

type Props = {
  /** The accessible name, if other buttons have the same visible text. */
  readonly name?: string
  readonly title?: string | undefined
  readonly class?: string
  readonly isStill?: boolean
  readonly onPress: () => unknown
  readonly children: ComponentChildren
}

/** A button that starts a write. It is disabled during another write, and if the key may not trade. */
export function WriteButton({
  name,
  title,
  class: look,
  isStill = false,
  onPress,
  children,
}: Props) {
  return (
    <button
      type="button"
      class={look}
      disabled={isStill || isBusy.value || !canTrade.value}
      aria-label={name}
      title={title}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  )
}
