import { signal } from '@preact/signals'
import { PAGE_SEGMENT } from './segment.ts'

/** The segment of the page beside trading that the address names; '' on the trading page. */
export const shownPage = signal(pageSegment(location.pathname))

/** A path that was chosen on the way back from the entry of a closed dialog; '' before it is chosen, null at other times. */
let next: string | null = null

addEventListener('popstate', () => {
  // Other listeners read the address, so it is set first.
  if (next) history.pushState(null, '', next)
  next = null
  shownPage.value = pageSegment(location.pathname)
})

/** Goes back from the entry of a closed dialog. */
export function leaveEntry(): void {
  next = ''
  history.back()
}

/**
 * Goes to a path below `/trade` without loading the document again. A history entry with a state belongs to an open
 * dialog: the path replaces it.
 */
export function go(path: string): void {
  if (next !== null) next = path
  else if (history.state === null) history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  shownPage.value = pageSegment(path)
}

function pageSegment(path: string): string {
  const [, name = ''] = /^\/trade\/([^/]+)$/.exec(path) ?? []
  return PAGE_SEGMENT.test(name) ? name : ''
}
