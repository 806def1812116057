import { signal } from '@preact/signals'
import type { Exact } from '../../common/exact-json.ts'
import { filledTemplate } from '../../common/format.ts'
import { saveFile } from '../../common/save-file.ts'
import { nowMs } from '../../common/world.ts'
import { read } from '../account/relay.ts'
import { session } from '../account/session.ts'
import { CSV_TEXTS } from '../messages/csv.ts'
import { notifyFailure, showNotice } from '../messages/notices.ts'
import { csvText, type RecordName, readHistory } from './records.ts'

/** Whether rows are being read for a file. */
export const isSaving = signal(false)

/** The rows that a file takes, and the part of its name that says so. */
type Selection = { readonly label?: string; readonly isWanted: (row: Exact) => boolean }

const EVERY_ROW: Selection = { isWanted: () => true }

/** Reads a list of the account, and saves its rows as a CSV file. A notice says how many rows it has. */
export async function saveRecords(
  name: RecordName,
  { label, isWanted } = EVERY_ROW,
): Promise<void> {
  const key = session.peek()
  if (!key) return
  isSaving.value = true
  try {
    const history = await readHistory(name, (path) => read(key, path))
    const rows = history.rows.filter(isWanted)
    const { length: count } = rows
    if (count > 0) {
      const day = new Date(nowMs()).toISOString().slice(0, 10)
      const nameParts = [name, ...(label ? [label] : []), key.accountId.slice(0, 10), day]
      saveFile(`${nameParts.join('-')}.csv`, csvText(rows), 'text/csv')
    }
    const text = history.isWhole ? CSV_TEXTS[count > 0 ? 'saved' : 'none'] : CSV_TEXTS.part
    const values = { count, read: history.rows.length }
    showNotice({ kind: 'good', text: filledTemplate(text, values) })
  } catch (error) {
    notifyFailure(error)
  } finally {
    isSaving.value = false
  }
}
