import { signal } from '@preact/signals'
import { PAGE_SEGMENT } from './segment.ts'

/** The segment of the page beside trading that the address names; '' on the trading page. */
export const shownPage = signal(segmentOf(location.pathname))

/** Whether the browser is on its way back from the entry of a closed dialog, and the path that was gone to meanwhile. */
let isLeaving = false
let next: string | null = null

addEventListener('popstate', () => {
  isLeaving = false
  // Other listeners read the address: it is that of the path already.
  if (next !== null) history.pushState(null, '', next)
  next = null
  shownPage.value = segmentOf(location.pathname)
})

/** Goes back from the entry of a closed dialog. */
export function leaveEntry(): void {
  isLeaving = true
  history.back()
}

/**
 * Goes to a path below `/trade` without loading the document again. A history entry with a state belongs to an open
 * dialog: the path replaces it.
 */
export function go(path: string): void {
  if (isLeaving) next = path
  else if (history.state === null) history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  shownPage.value = segmentOf(path)
}

function segmentOf(path: string): string {
  const [, name = ''] = /^\/trade\/([^/]+)$/.exec(path) ?? []
  return PAGE_SEGMENT.test(name) ? name : ''
}
