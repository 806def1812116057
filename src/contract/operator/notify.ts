import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

/** Times and counts of notices to the operator. The unit is the last word of each name. */
export const NOTIFY_LIMITS = {
  lookEveryMs: 5_000,
  /** Notices that begin within this time are sent in one message. */
  groupMs: 15_000,
  deliverEveryMs: 1_000,
  deadlineMs: 10_000,
  /** Retry delays of a message; the last one repeats. */
  retryAfterMs: [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS],
  /** An undelivered message is dropped after this time. */
  keptMs: 3 * DAY_MS,
  /** Maximum number of messages that wait per target. Above the maximum, the oldest messages are dropped. */
  waitingMax: 200,
  /** A counter that is constant for this long counts as calm again. */
  calmAfterMs: HOUR_MS,
  /** A counter is reported as rising if its recent growth reaches both a minimum and a multiple of the earlier rate. */
  rise: {
    recentMs: 5 * MINUTE_MS,
    beforeMs: HOUR_MS,
    everyMs: MINUTE_MS,
    minGrowth: 100,
    factor: 10,
  },
  /** Maximum text length per service; a longer text is cut. */
  textMaxChars: { slack: 4000, discord: 2000, telegram: 4096 },
  /** Number of starts within a time, without a clean stop in between, that count as a crash loop. */
  crashLoop: { starts: 3, withinMs: 30 * MINUTE_MS },
  /** Maximum number of accounts that a notice about unknown outcomes lists. */
  unknownWritesMax: 5,
  secretMinBytes: 24,
  secretMaxBytes: 64,
} as const

const Address = Type.String({
  pattern: '^[^\\s<>@,;:"()]+@[A-Za-z0-9.-]+$',
  maxLength: 254,
  description: 'a mail address',
})

/** The description of each part ends the sentence "targets[0].url must be …" that an operator reads. */
const Target = Type.Object(
  {
    kind: Type.Union(
      [
        Type.Literal('webhook'),
        Type.Literal('ntfy'),
        Type.Literal('mail'),
        Type.Literal('slack'),
        Type.Literal('discord'),
        Type.Literal('telegram'),
      ],
      { description: '"webhook", "ntfy", "mail", "slack", "discord" or "telegram"' },
    ),
    url: Type.String({ maxLength: 2048, description: 'a URL' }),
    secret: Type.Optional(
      Type.String({
        pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
        description: 'whsec_ and 24 to 64 bytes in base64',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,512}$',
        description: 'the access token of an ntfy server, or that of a bot',
      }),
    ),
    chat: Type.Optional(
      Type.String({
        pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{5,32})$',
        description: 'the id of a chat, or the @name of a channel',
      }),
    ),
    from: Type.Optional(Address),
    to: Type.Optional(
      Type.Array(Address, {
        minItems: 1,
        maxItems: 8,
        description: 'a list of one to eight addresses',
      }),
    ),
  },
  { additionalProperties: false, description: 'a table of kind, url, and what goes with the kind' },
)

/** The file of the setting NOTIFY. */
export const NotifyFile = Type.Object(
  {
    quiet: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$',
        description: 'a period of the day in UTC, such as "22:00-07:00"',
      }),
    ),
    heartbeat: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        description: 'a time of the day in UTC, such as "08:00"',
      }),
    ),
    targets: Type.Array(Target, {
      minItems: 1,
      maxItems: 8,
      description: 'a list of one to eight targets',
    }),
  },
  { additionalProperties: false, description: 'a table of quiet, heartbeat and targets' },
)
export type NotifyFile = Static<typeof NotifyFile>

/** A condition that began or ended, or an event, as part of a message. */
export const Notice = Type.Object({
  name: Type.String(),
  state: Type.Union([Type.Literal('begun'), Type.Literal('over'), Type.Literal('happened')]),
  /** `page` is also sent in quiet hours. */
  level: Type.Union([Type.Literal('page'), Type.Literal('warn')]),
  title: Type.String(),
  /** The measured figure as a sentence; '' without one. */
  figure: Type.String({ default: '' }),
  action: Type.String(),
  /** The command that the operator should run next; '' without one. */
  command: Type.String({ default: '' }),
  sinceMs: Type.Number(),
})
export type Notice = Static<typeof Notice>

/** Notices that are sent together, identical for every target. Retries keep the id. */
export const Message = Type.Object({
  id: Type.String(),
  atMs: Type.Number(),
  service: Type.String(),
  /** The name of this instance among the instances that share the store, and the host of this instance. */
  instance: Type.String({ default: '' }),
  host: Type.String({ default: '' }),
  notices: Type.Array(Notice),
})
export type Message = Static<typeof Message>

/** A stored message that waits for delivery to one target. */
export const WaitingMessage = Type.Object({
  target: Type.String(),
  message: Message,
  attempts: Type.Number(),
  dueMs: Type.Number(),
})
export type WaitingMessage = Static<typeof WaitingMessage>
