import type { ComponentChildren, ComponentProps } from 'preact'
import { Table } from '../../../common/table.tsx'
import type { PublicRead } from '../../feed/public-read.ts'
import { failureMessage } from '../../messages/failure-messages.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { Stale } from './dialog.tsx'
import { ListPanel } from './panel.tsx'

type PanelProps = {
  readonly title: string
  readonly read: PublicRead
  /** The text for an empty answer; null if there are rows. */
  readonly empty: string | null
  /** The element at the end of the heading. */
  readonly end?: ComponentChildren
  readonly children: ComponentChildren
}

/** A panel for one read, with its state: loading, failed, empty, or its rows with their age. */
export function ReadingPanel({ title, read, empty, end, children }: PanelProps) {
  const { value: reading } = read.reading
  const isKnown = reading.data !== null
  const beside = (
    <>
      <Stale reading={reading} afterMs={2 * read.everyMs} />
      {end && <span class="end">{end}</span>}
    </>
  )
  return (
    <ListPanel title={title} end={beside} isBusy={!isKnown && !reading.failure}>
      <ReadFailure read={read} />
      {!isKnown && !reading.failure && <p class="empty">{PAGE_TEXTS.lists.waiting}</p>}
      {isKnown && (empty === null ? children : <p class="empty">{empty}</p>)}
    </ListPanel>
  )
}

type TableProps<Row> = Omit<PanelProps, 'empty' | 'children'> &
  ComponentProps<typeof Table<Row>> & {
    /** The text for an answer without rows. */
    readonly empty: string
  }

/** A panel with the table for one read. */
export function ReadingTable<Row>({ title, read, empty, end, ...table }: TableProps<Row>) {
  const isEmpty = table.rows.length === 0
  return (
    <ReadingPanel title={title} read={read} empty={isEmpty ? empty : null} end={end}>
      <Table {...table} />
    </ReadingPanel>
  )
}

/** The failure of the last read, with a button to read again. */
export function ReadFailure({ read }: Pick<PanelProps, 'read'>) {
  const { failure } = read.reading.value
  if (!failure) return null
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice" role="status">
      {text} {next}{' '}
      <button type="button" class="link" onClick={read.refresh}>
        {PAGE_TEXTS.state.lookAgain}
      </button>
    </p>
  )
}
