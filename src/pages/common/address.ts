import { signal } from '@preact/signals'
import { PAGE_SEGMENT } from './segment.ts'

/** The address segment of the shown page, such as `portfolio`; '' on the trading page. */
export const shownPage = signal(pageSegment(location.pathname))

/**
 * The path that was chosen while the browser goes back from a closed dialog's history entry; '' without a choice. Null
 * if the browser is not going back.
 */
let next: string | null = null
/** The timer of the last `history.back()`. Each call has a new timer. */
let timer: ReturnType<typeof setTimeout> | undefined

addEventListener('popstate', () => {
  clearTimeout(timer)
  // The address is set before other listeners read it.
  if (next) history.pushState(null, '', next)
  next = null
  shownPage.value = pageSegment(location.pathname)
})

/**
 * Leaves the history entry of a closed dialog. If the browser does not go back within a second, for example because a tab
 * began with that entry, the entry loses the state of the dialog.
 */
export function leaveEntry(): void {
  clearTimeout(timer)
  next = ''
  history.back()
  timer = setTimeout(() => {
    history.replaceState(null, '')
    dispatchEvent(new Event('popstate'))
  }, 1000)
}

/**
 * Goes to a path below `/trade` without reloading the document. The path replaces the history entry of an open dialog.
 * Only an entry of a dialog has a state.
 */
export function navigateTo(path: string): void {
  if (next !== null) next = path
  else if (history.state === null) history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  shownPage.value = pageSegment(path)
}

function pageSegment(path: string): string {
  const [, name = ''] = /^\/trade\/([^/]+)$/.exec(path) ?? []
  return PAGE_SEGMENT.test(name) ? name : ''
}
