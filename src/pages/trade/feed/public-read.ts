import { shownPage } from '../../common/address.ts'
import { feed, followed, topicOf } from './service.ts'

/** A public read of a page beside trading. */
export type PublicRead = ReturnType<typeof publicRead>

/** Follows the path that `pathOf` returns now, while a page beside trading is shown; null reads nothing. */
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
