import { nowMs } from './world.ts'

/** A key that is pressed again this soon is pressed twice, in milliseconds. */
const DOUBLE_MAX_MS = 500

/** The keys that press what has the focus. */
const PRESSING: readonly string[] = ['Enter', ' ']

/**
 * Lets the second press of a double one reach only what was there at the first one, by mouse or by a key, which may also be
 * held: it presses and selects nothing of a dialog that has opened, or of what a dialog that has closed uncovers.
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

/** Whether what was pressed first is shown still, in the same dialog; notices may be closed one after another. */
function isStillThere(first: Element | null, target: Element): boolean {
  if (first === null || target.closest('.notes')) return true
  return first.isConnected && first.closest('dialog') === target.closest('dialog')
}
