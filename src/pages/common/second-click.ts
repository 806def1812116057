import { nowMs } from './world.ts'

/** Two presses of a key within this time count as a double press. */
const DOUBLE_MAX_MS = 500

/** The keys that activate the focused element. */
const PRESSING: readonly string[] = ['Enter', ' ']

/**
 * Ignores the second press of a double press (mouse, key or held key) unless its element was shown at the first press.
 * A double click therefore presses nothing in a dialog that has just opened, or on the page below a closed dialog.
 */
export function guardSecondClicks(): void {
  let first: Element | null = null
  let firstMs = 0
  const guard = (event: MouseEvent | KeyboardEvent): void => {
    const { target, type } = event
    if (!(target instanceof Element) || ('key' in event && !PRESSING.includes(event.key))) return
    if (isSecond(event, firstMs)) {
      if (isStillThere(first, target)) return
      event.preventDefault()
      event.stopPropagation()
    } else if (type !== 'click') {
      first = target
      firstMs = nowMs()
    }
  }
  for (const type of ['mousedown', 'click', 'keydown'] as const) addEventListener(type, guard, true)
}

function isSecond(event: MouseEvent | KeyboardEvent, firstMs: number): boolean {
  if ('key' in event) return event.repeat || nowMs() < firstMs + DOUBLE_MAX_MS
  return event.detail > 1
}

/**
 * Whether the element of the first press is still shown in the same dialog. Always true for notices, because users
 * close several notices in a row.
 */
function isStillThere(first: Element | null, target: Element): boolean {
  if (first === null || target.closest('.notes')) return true
  return first.isConnected && first.closest('dialog') === target.closest('dialog')
}
