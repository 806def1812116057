import { shownPage } from '../../common/address.ts'
import { feed, followTopic, pathTopic } from './service.ts'

/** A public read of a page other than trading. */
export type PublicRead = ReturnType<typeof createPublicRead>

/** Follows the path that `pathOf` returns, while `page` is shown; null reads nothing. */
export function createPublicRead(
  page: string,
  everyMs: number,
  pathOf: () => string | null,
  policy = 'read',
) {
  const reading = followTopic(() => {
    const path = shownPage.value === page ? pathOf() : null
    return path === null ? null : pathTopic(path, everyMs, policy)
  })
  /** Reads now, independent of the schedule. */
  const refresh = () => feed.refresh(pathOf() ?? '')
  return { reading, everyMs, refresh }
}
