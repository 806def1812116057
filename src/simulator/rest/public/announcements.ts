import { COMMAND_LIMITS } from '../../../contract/venue/commands.ts'
import type { EntityStore } from '../../../core/ports.ts'
import { publicReadRows, type VenueRow } from '../../messages/row.ts'

/** An announcement to all users. */
export type Announcement = {
  readonly id: number
  readonly message: string
  readonly url: string | null
  readonly type: string
  readonly updatedAtMs: number
}

/** A maintenance. Without an end time it lasts until the operator ends it. */
export type Maintenance = {
  readonly startMs: number
  readonly endMs: number | null
  readonly message: string
}

/** The operator's changes of announcements and maintenance. Times are by the venue's clock. */
export type AnnouncementAdmin = {
  /** Publishes an announcement. Returns its number; null if there are too many. */
  readonly announce: (
    announcement: Pick<Announcement, 'message' | 'url' | 'type'>,
    atMs: number,
  ) => number | null
  /** Withdraws an announcement. False for an unknown number. */
  readonly retract: (id: number, atMs: number) => boolean
  /** Sets the maintenance. Null ends it. */
  readonly maintain: (maintenance: Maintenance | null) => void
}

/** The current announcements and maintenance. A change is stored before it becomes visible. */
export type Notices = {
  /** The announcements, newest first. */
  readonly announcements: () => readonly Announcement[]
  /** The time at which an announcement was last published or withdrawn. */
  readonly changedAtMs: () => number
  /** The current maintenance, otherwise the next. */
  readonly maintenance: (nowMs: number) => Maintenance | null
  readonly admin: AnnouncementAdmin
}

/** A stored announcement. A withdrawn announcement stays stored, so that its number is not used again. */
type Stored = Announcement & { readonly isRetracted?: true }

const KIND = 'announcement'
const MAINTENANCE = 'maintenance'
const KEY_DIGITS = 15
/** The first announcement of a new venue. */
const FIRST = 'These markets are seeded: prices, trades and other traders are made up.'

/** Opens the stored announcements of a venue. New announcements are passed to `announced`. */
export function openNotices(
  entities: EntityStore,
  madeAtMs: number,
  announced: (announcement: Announcement) => void,
): Notices {
  const first = { id: 1, message: FIRST, url: null, type: 'NOTICE', updatedAtMs: madeAtMs }
  const stored = new Map<number, Stored>([[first.id, first]])
  for (const { json } of entities.load(KIND)) {
    const announcement: Stored = JSON.parse(json)
    stored.set(announcement.id, announcement)
  }
  let [maintenance = null] = Array.from(
    entities.load(MAINTENANCE),
    ({ json }): Maintenance | null => JSON.parse(json),
  )

  function put(announcement: Stored): void {
    const key = String(announcement.id).padStart(KEY_DIGITS, '0')
    entities.commit([{ kind: KIND, key, json: JSON.stringify(announcement) }])
    stored.set(announcement.id, announcement)
  }

  return {
    announcements: () =>
      [...stored.values()].filter(({ isRetracted }) => !isRetracted).sort((a, b) => b.id - a.id),
    changedAtMs: () => Math.max(...Array.from(stored.values(), ({ updatedAtMs }) => updatedAtMs)),
    maintenance: (nowMs) =>
      maintenance && (maintenance.endMs ?? Number.POSITIVE_INFINITY) > nowMs ? maintenance : null,
    admin: {
      announce: (announcement, updatedAtMs) => {
        const id = Math.max(...stored.keys()) + 1
        if (id > COMMAND_LIMITS.announcementsMax) return null
        const made = { id, ...announcement, updatedAtMs }
        put(made)
        announced(made)
        return id
      },
      retract: (id, updatedAtMs) => {
        const found = stored.get(id)
        if (!found || found.isRetracted) return false
        put({ ...found, updatedAtMs, isRetracted: true })
        return true
      },
      maintain: (set) => {
        entities.commit([{ kind: MAINTENANCE, key: MAINTENANCE, json: JSON.stringify(set) }])
        maintenance = set
      },
    },
  }
}

const STATUS = { up: 0, maintenance: 2 } as const
/** The address of a caller that is in this process. */
const LOCAL = '127.0.0.1'

/** Endpoints for the public status, the announcements, and the caller's address. */
export function noticeRows({ notices }: { readonly notices: Notices }): readonly VenueRow[] {
  return publicReadRows({
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
    // The embedded venue does not locate addresses.
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
