import type { EntityStore } from '../../../core/ports.ts'
import { COMMAND_LIMITS } from '../../../spec/venue/commands.ts'
import { publicReads, type VenueRow } from '../../messages/row.ts'

/** An announcement to all users. */
export type Announcement = {
  readonly id: number
  readonly message: string
  readonly url: string | null
  readonly type: string
  readonly updatedAtMs: number
}

/** A maintenance: until it is over when it has no end. */
export type Maintenance = {
  readonly startMs: number
  readonly endMs: number | null
  readonly message: string
}

/** The operator's changes of announcements and maintenance, at a time of the venue's clock. */
export type AnnouncementAdmin = {
  /** Makes an announcement, and answers its number; null when there are as many as there may be. */
  readonly announce: (
    announcement: Pick<Announcement, 'message' | 'url' | 'type'>,
    atMs: number,
  ) => number | null
  /** Takes an announcement back; false when there is none of that number. */
  readonly retract: (id: number, atMs: number) => boolean
  /** Sets the maintenance; null ends it. */
  readonly maintain: (maintenance: Maintenance | null) => void
}

/** The announcements and the maintenance now. A change is stored before it is seen. */
export type Notices = {
  /** Newest first. */
  readonly announcements: () => readonly Announcement[]
  /** When one was last made or taken back. */
  readonly changedAtMs: () => number
  /** The maintenance that is under way or to come. */
  readonly maintenance: (nowMs: number) => Maintenance | null
  readonly admin: AnnouncementAdmin
}

/** An announcement that was taken back keeps its number. */
type Stored = Announcement & { readonly isRetracted?: true }

const KIND = 'announcement'
const MAINTENANCE = 'maintenance'
const KEY_DIGITS = 15
/** What a seeded venue says of itself. */
const FIRST = 'These markets are seeded: prices, trades and other traders are made up.'

/** The notices as the entities left them, of a venue made then; what is announced is passed on. */
export function openNotices(
  entities: EntityStore,
  madeAtMs: number,
  announced: (announcement: Announcement) => void = () => undefined,
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
/** The address of a caller in this process. */
const LOCAL = '127.0.0.1'

/** The public status, the announcements and the address of the caller. */
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
