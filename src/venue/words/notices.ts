import { Failure, invalid } from '../../core/failure.ts'
import type { NoticeDesk } from '../notices/desk.ts'
import type { ValuesOf } from './read.ts'

type Desk = { readonly notices: NoticeDesk }

const MAINTENANCE = 'System is under maintenance.'

/** What words let the venue tell everybody, at a time of the venue's. */
export const NOTICE_WORDS = {
  announce: (
    { notices }: Desk,
    { message, link, type = 'NOTICE' }: ValuesOf<'announce'>,
    atMs: number,
  ) => {
    const announcementId = notices.announce({ message, url: link ?? null, type }, atMs)
    if (announcementId === null)
      throw invalid('message', 'conflicting', { expected: 'fewer announcements: reset' })
    return { announcementId }
  },
  retract: ({ notices }: Desk, { announcement }: ValuesOf<'retract'>, atMs: number) => {
    if (!notices.retract(announcement, atMs))
      throw new Failure('not_found', { parameter: 'announcement' })
    return { retracted: announcement }
  },
  'maintenance on': (
    { notices }: Desk,
    { message = MAINTENANCE, after = 0, for: lasts }: ValuesOf<'maintenance on'>,
    atMs: number,
  ) => {
    const startMs = atMs + after
    const endMs = lasts === undefined ? null : startMs + lasts
    notices.maintain({ message, startMs, endMs })
    return { message, startMs, endMs }
  },
  'maintenance off': ({ notices }: Desk) => {
    notices.maintain(null)
    return { maintenance: 'off' }
  },
}
