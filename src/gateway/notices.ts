import { type Answer, fresh } from '../cache/answer.ts'
import type { Cache } from '../cache/cache.ts'
import { Failure, invalid } from '../core/failure.ts'
import type { Scrub } from '../scrub/scrub.ts'
import type { AnnouncementBody, MaintenanceBody, RetractionBody } from '../spec/venue/notices.ts'
import type { NoticeDesk } from '../venue/notices/desk.ts'

/** What the operator's notices use; the desk is null on a live venue, which tells everybody itself. */
export type NoticeDeps = {
  readonly notices: NoticeDesk | null
  readonly scrub: Pick<Scrub, 'value'>
  readonly cache: Pick<Cache, 'purge'>
}

const MAINTENANCE = 'System is under maintenance.'

/** Makes an announcement: `{announcementId}`. Throws Failure: not_found on a live venue, rate_limited when there are too many. */
export async function announce(deps: NoticeDeps, body: AnnouncementBody): Promise<Answer> {
  const { message, url = null, type = 'NOTICE' } = body
  const announcementId = deskOf(deps).announce({ message, url, type })
  if (announcementId === null) throw new Failure('rate_limited')
  return told(deps, { announcementId })
}

/** Takes an announcement back: `{retracted: true}`. Throws Failure: not_found when there is none. */
export async function retract(deps: NoticeDeps, body: RetractionBody): Promise<Answer> {
  if (!deskOf(deps).retract(body.announcementId)) throw new Failure('not_found')
  return told(deps, { retracted: true })
}

/** Begins, plans or ends a maintenance: `{maintenance}`, on or off. Throws Failure: not_found, invalid_request. */
export async function maintain(deps: NoticeDeps, body: MaintenanceBody): Promise<Answer> {
  const { state, message = MAINTENANCE, startMs = null, endMs = null } = body
  if (startMs !== null && endMs !== null && endMs <= startMs) throw invalid('endMs')
  deskOf(deps).maintain(state === 'off' ? null : { message, startMs, endMs })
  return told(deps, { maintenance: state })
}

function deskOf({ notices }: NoticeDeps): NoticeDesk {
  if (!notices) throw new Failure('not_found')
  return notices
}

/** What was kept of the answers before says something else. */
async function told({ scrub, cache }: NoticeDeps, body: object): Promise<Answer> {
  await cache.purge()
  return fresh(scrub.value(body, { audience: 'private' }))
}
