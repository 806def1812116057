import type { ReadonlySignal } from '@preact/signals'
import { shownPage } from '../../common/address.ts'
import type { Reading } from './feed.ts'
import { feed, followed, topicOf } from './service.ts'

/** A public read of a page beside trading. */
export type PublicRead = {
  readonly reading: ReadonlySignal<Reading>
  readonly everyMs: number
  /** Asks now, whatever the schedule. */
  readonly refresh: () => void
}

/** Follows the path that the moment asks for while a page beside trading is shown; null asks for nothing. */
export function publicRead(
  page: string,
  everyMs: number,
  pathOf: () => string | null,
  policy = 'read',
): PublicRead {
  const reading = followed(() => {
    const path = shownPage.value === page ? pathOf() : null
    return path === null ? null : topicOf(path, everyMs, policy)
  })
  return { reading, everyMs, refresh: () => feed.refresh(pathOf() ?? '') }
}
