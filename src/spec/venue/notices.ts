import { type Static, Type } from '@sinclair/typebox'

/** Sizes of what the embedded venue tells everybody. */
export const NOTICE_LIMITS = {
  messageMaxChars: 500,
  urlMaxChars: 512,
  announcementsMax: 1000,
} as const

/** Where the operator sets what the embedded venue tells everybody. */
export const NOTICE_PATHS = {
  announce: '/api/admin/venue/announce',
  retract: '/api/admin/venue/retract',
  maintenance: '/api/admin/venue/maintenance',
} as const

export type NoticeWord = keyof typeof NOTICE_PATHS

const Message = Type.String({ minLength: 1, maxLength: NOTICE_LIMITS.messageMaxChars })
const Milliseconds = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })

/** Body of `announce`: what the embedded venue tells everybody. */
export const AnnouncementBody = Type.Object({
  message: Message,
  url: Type.Optional(Type.String({ pattern: '^https?://', maxLength: NOTICE_LIMITS.urlMaxChars })),
  type: Type.Optional(Type.String({ pattern: '^[A-Z_]{1,32}$' })),
})

export type AnnouncementBody = Static<typeof AnnouncementBody>

/** Body of `retract`: which announcement is taken back. */
export const RetractionBody = Type.Object({ announcementId: Type.Integer({ minimum: 1 }) })

export type RetractionBody = Static<typeof RetractionBody>

/**
 * Body of `maintenance`: `on`, from now unless it says when, and until it is set `off` unless it
 * says until when; the venue's time, in milliseconds.
 */
export const MaintenanceBody = Type.Object({
  state: Type.Union([Type.Literal('on'), Type.Literal('off')]),
  message: Type.Optional(Message),
  startMs: Type.Optional(Milliseconds),
  endMs: Type.Optional(Milliseconds),
})

export type MaintenanceBody = Static<typeof MaintenanceBody>
