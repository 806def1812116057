import { shownPage } from '../../common/address.ts'
import { feed, followed, topicOf } from './service.ts'

/** A public read of a page beside trading. */
export type PublicRead = ReturnType<typeof publicRead>

/** Follows the path that the moment asks for while a page beside trading is shown; null asks for nothing. */
export function publicRead(
  page: string,
  everyMs: number,
  pathOf: () => string | null,
  policy = 'read',
) {
  const reading = followed(() => {
    const path = shownPage.value === page ? pathOf() : null
    return path === null ? null : topicOf(path, everyMs, policy)
  })
  /** Reads now, independent of the schedule. */
  const refresh = () => feed.refresh(pathOf() ?? '')
  return { reading, everyMs, refresh }
}
