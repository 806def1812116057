import { leaveEntry } from '../../../common/address.ts'

/** The functions that close the open dialogs, newest last. All dialogs share one history entry. */
let open: readonly (() => void)[] = []

/** Whether a `history.back()` from the dialogs' entry is in progress. */
let isLeaving = false

/** Makes the browser's Back button close a dialog. Returns the function to call when the dialog closes. */
export function openInHistory(close: () => void): () => void {
  open = [...open, close]
  settle()
  return () => {
    open = open.filter((each) => each !== close)
    // Delayed, because a dialog that opens in place of this one reuses the history entry.
    setTimeout(settle)
  }
}

/** Adds the history entry while a dialog is open, and goes back after the last dialog has closed. */
function settle(): void {
  const isThere = isDialogEntry()
  if (isLeaving || isThere === open.length > 0) return
  if (isThere) {
    isLeaving = true
    leaveEntry()
  } else history.pushState(ENTRY, '')
}

const ENTRY = { dialog: true } as const

function isDialogEntry(): boolean {
  return history.state?.dialog === true
}

addEventListener('popstate', () => {
  if (!isLeaving && !isDialogEntry()) open.at(-1)?.()
  isLeaving = false
  setTimeout(settle)
})
// After a reload no dialog is open, so the page leaves a dialog's entry from before the reload.
settle()
