import type { ComponentChildren } from 'preact'
import type { PublicRead } from '../../feed/public-read.ts'
import { failureMessage } from '../../messages/failure-messages.ts'
import { M } from '../../messages/page.ts'
import { Stale } from './dialog.tsx'

type Props = {
  readonly title: string
  readonly read: PublicRead
  /** What stands in place of the rows where the answer has none; null where it has some. */
  readonly empty: string | null
  /** What stands at the end of the head. */
  readonly end?: ComponentChildren
  readonly children: ComponentChildren
}

/** A panel of what the server answers to one read: loading, failed, empty, or its rows with their age. */
export function ReadingPanel({ title, read, empty, end, children }: Props) {
  const { value: reading } = read.reading
  const isKnown = reading.data !== null
  return (
    <section class="panel lists" aria-label={title} aria-busy={!isKnown && !reading.failure}>
      <div class="head">
        <h2>{title}</h2>
        <Stale reading={reading} afterMs={2 * read.everyMs} />
        {end && <span class="end">{end}</span>}
      </div>
      <ReadFailure read={read} />
      {!isKnown && !reading.failure && <p class="empty">{M.lists.waiting}</p>}
      {isKnown && (empty === null ? children : <p class="empty">{empty}</p>)}
    </section>
  )
}

/** Why a read failed the last time, with the button that asks again. */
export function ReadFailure({ read }: Pick<Props, 'read'>) {
  const { failure } = read.reading.value
  if (!failure) return null
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice" role="status">
      {text} {next}{' '}
      <button type="button" class="link" onClick={read.refresh}>
        {M.state.lookAgain}
      </button>
    </p>
  )
}
