import { nowMs } from './world.ts'

/** A key that is pressed again this soon is pressed twice, in milliseconds. */
const DOUBLE_MAX_MS = 500

/** The keys that press the focused element. */
const PRESSING: readonly string[] = ['Enter', ' ']

/**
 * Lets the second press of a double press (of the mouse, of a key, or of a held key) reach only an element that was
 * there at the first press. It presses and selects nothing in a dialog that has just opened, or in the page that a
 * closed dialog uncovers.
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
 * Whether the element of the first press is still shown, in the same dialog. Notices may be closed one after another.
 */
function isStillThere(first: Element | null, target: Element): boolean {
  if (first === null || target.closest('.notes')) return true
  return first.isConnected && first.closest('dialog') === target.closest('dialog')
}
