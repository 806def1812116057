import { leaveEntry } from '../../../common/address.ts'

/** The functions that close the open dialogs, the newest last. All dialogs share one entry of the history. */
let open: readonly (() => void)[] = []

/** Whether this module is on its way back from the entry. */
let isLeaving = false

/** Lets Back close an open dialog. Returns the function to call when the dialog is closed. */
export function openInHistory(close: () => void): () => void {
  open = [...open, close]
  settle()
  return () => {
    open = open.filter((each) => each !== close)
    // A new dialog may open in this one's place, and then needs the entry.
    setTimeout(settle)
  }
}

/** Adds the entry while a dialog is open, and goes back from it after the last one is closed. */
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
// After a reload no dialog is open.
settle()
