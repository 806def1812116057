import { publicReads, type VenueRow } from '../../messages/row.ts'
import type { Announcement, Notices } from './announcements.ts'

const STATUS = { up: 0, maintenance: 2 } as const
/** Whoever asks in this process has no address on the wire. */
const LOCAL = '127.0.0.1'

/** What the venue tells everybody: whether it is up, its announcements, and to each caller its own address. */
export function noticeRows({ notices }: { readonly notices: Notices }): readonly VenueRow[] {
  return publicReads({
    '/v1/public/system_info': ({ nowMs }) => statusAt(notices, nowMs),
    '/v1/public/announcement': () => ({
      rows: notices.announcements().map(({ id, message, url }) => ({
        announcement_id: id,
        message,
        url: url ?? '',
      })),
    }),
    '/v2/public/announcement': () => ({
      last_updated_time: notices.changedAtMs(),
      rows: notices.announcements().map(secondRow),
    }),
    // A venue of one process cannot look up where an address is.
    '/v1/ip_info': ({ peer = LOCAL }) => ({ city: '', ip: peer, checked: false, region: '' }),
  })
}

function statusAt(notices: Notices, nowMs: number) {
  const maintenance = notices.maintenance(nowMs)
  const isDown = maintenance !== null && maintenance.startMs <= nowMs
  const { startMs, endMs = null, message } = maintenance ?? {}
  return {
    status: isDown ? STATUS.maintenance : STATUS.up,
    msg: isDown ? message : 'System is functioning properly.',
    scheduled_maintenance: endMs === null ? null : { startTime: startMs, endTime: endMs },
  }
}

function secondRow({ id, message, url, type, updatedAtMs }: Announcement) {
  return {
    announcement_id: String(id),
    message,
    i18n: { zh: null },
    url,
    type,
    updated_time: updatedAtMs,
    coverImage: null,
  }
}
