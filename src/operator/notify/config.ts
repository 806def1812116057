import { NOTIFY_LIMITS, NotifyFile } from '../../contract/operator/notify.ts'
import { isLoopbackUrl, parseHttpUrl } from '../../core/base-url.ts'
import { sha256Hex } from '../../core/digest.ts'
import { readTomlAs } from '../../core/settings/toml-file.ts'
import { UsageError } from '../../core/settings/usage-error.ts'

/** A target of notices. `name` is for the log and contains neither address nor secret. */
export type Target = HttpTarget | MailTarget

type Named = { readonly name: string; readonly url: URL }

export type HttpTarget = Named &
  (
    | { readonly kind: 'webhook'; readonly secret: Uint8Array }
    | { readonly kind: 'ntfy'; readonly token: string | null }
    /** The whole URL is a secret. */
    | { readonly kind: 'slack' | 'discord' }
    /** The URL is the address of the Bot API, without the token. */
    | { readonly kind: 'telegram'; readonly token: string; readonly chat: string }
  )

/** Mail recipients. The URL of the mail server contains the password. */
export type MailTarget = Named & {
  readonly kind: 'mail'
  readonly from: string
  readonly to: readonly string[]
}

/** The minutes of the day (UTC) between which only urgent notices are sent. */
export type QuietHours = { readonly fromMinute: number; readonly toMinute: number }

export type NotifyConfig = {
  readonly targets: readonly Target[]
  readonly quiet: QuietHours | null
  /** The minute of the day (UTC) of the daily heartbeat notice; null without a heartbeat. */
  readonly heartbeatMinute: number | null
}

/** Parses the file of the setting NOTIFY. Throws UsageError with one line per problem. The lines contain no values. */
export function readNotifyConfig(text: string): NotifyConfig {
  const { targets, quiet, heartbeat } = readTomlAs(NotifyFile, text)
  const problems = targets.flatMap(targetProblems)
  if (problems.length > 0) throw new UsageError(...problems)
  return {
    targets: targets.map(toTarget),
    quiet: quiet === undefined ? null : parseQuietHours(quiet),
    heartbeatMinute: heartbeat === undefined ? null : minuteOfDay(heartbeat),
  }
}

type Row = NotifyFile['targets'][number]

function targetProblems(row: Row, at: number): string[] {
  const place = `targets[${at}]`
  const { fields } = KINDS[row.kind]
  const strange = OPTIONAL_FIELDS.filter((name) => row[name] !== undefined && !fields.has(name))
  return [
    ...(parseTargetUrl(row) ? [] : [`${place}.url must be ${KINDS[row.kind].expects}`]),
    ...missingFields(row).map((line) => `${place}.${line}`),
    ...strange.map((name) => `${place}.${name} is of ${KIND_OF_FIELD[name]} alone`),
  ]
}

const HTTP_EXPECTS = 'an https URL, or an http one to loopback'

/** The additional fields of each kind of target, and the form that its url must have. */
const KINDS = {
  webhook: { fields: new Set<string>(['secret']), expects: HTTP_EXPECTS },
  ntfy: { fields: new Set<string>(['token']), expects: HTTP_EXPECTS },
  slack: { fields: new Set<string>(), expects: HTTP_EXPECTS },
  discord: { fields: new Set<string>(), expects: HTTP_EXPECTS },
  telegram: { fields: new Set<string>(['token', 'chat']), expects: HTTP_EXPECTS },
  mail: {
    fields: new Set<string>(['from', 'to']),
    expects: 'smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS, without a path',
  },
} as const

const KIND_OF_FIELD = {
  ...{ secret: 'webhooks', token: 'ntfy and telegram', chat: 'telegram' },
  ...{ from: 'mail', to: 'mail' },
} as const
const OPTIONAL_FIELDS = ['secret', 'token', 'chat', 'from', 'to'] as const

/** The token becomes part of the request's path, so only these characters are allowed. */
const BOT_TOKEN = /^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$/

function missingFields(row: Row): string[] {
  return NEEDS[row.kind](row).flatMap(([isThere, problem]) => (isThere ? [] : [problem]))
}

type Needs = (row: Row) => readonly (readonly [isThere: boolean, problem: string])[]

const NO_MORE_FIELDS: Needs = () => []

/** The fields that each kind of target requires in addition to its url. */
const NEEDS: Readonly<Record<Row['kind'], Needs>> = {
  webhook: ({ secret }) => [
    [
      secret !== undefined && isSecret(secret),
      'secret is missing: give whsec_ and 24 to 64 bytes in base64',
    ],
  ],
  mail: ({ from, to }) => [
    [from !== undefined, 'from is missing: give the address that sends'],
    [to !== undefined, 'to is missing: give a list of one to eight addresses'],
  ],
  telegram: ({ token, chat }) => [
    [BOT_TOKEN.test(token ?? ''), 'token must be that of a bot, as BotFather gave it'],
    [chat !== undefined, 'chat is missing: give the id of a chat that the bot is in'],
  ],
  ...{ ntfy: NO_MORE_FIELDS, slack: NO_MORE_FIELDS, discord: NO_MORE_FIELDS },
}

function parseTargetUrl({ kind, url: text }: Pick<Row, 'kind' | 'url'>): URL | null {
  if (kind === 'mail') return MAIL_URL.test(text) ? mailUrl(text) : null
  const url = parseHttpUrl(text)
  return url && (url.protocol === 'https:' || isLoopbackUrl(url)) ? url : null
}

const MAIL_URL = /^smtps?:\/\/[^\s\\?#/]+\/?$/

/** The URL of a mail server; null if its user or password is not correctly percent-encoded. */
function mailUrl(text: string): URL | null {
  const url = URL.parse(text)
  const isWhole = url && [url.username, url.password].every((part) => ENCODED.test(part))
  return isWhole && url.hostname !== '' ? url : null
}

const ENCODED = /^(?:[^%]|%[0-9a-fA-F]{2})*$/

function isSecret(secret: string): boolean {
  const { length } = secretBytes(secret)
  return length >= NOTIFY_LIMITS.secretMinBytes && length <= NOTIFY_LIMITS.secretMaxBytes
}

/** The bytes of a secret given as `whsec_` followed by base64. */
export function secretBytes(secret: string): Uint8Array {
  return Buffer.from(secret.slice('whsec_'.length), 'base64')
}

/** A target. Its name does not contain the address, because an ntfy topic is a secret. */
function toTarget({ kind, url, secret = '', token, chat = '', from = '', to = [] }: Row): Target {
  const identity = kind === 'telegram' ? `${url} ${token} ${chat}` : url
  const own = { name: `${kind} ${sha256Hex(identity).slice(0, 6)}`, url: new URL(url) }
  if (kind === 'webhook') return { ...own, kind, secret: secretBytes(secret) }
  if (kind === 'ntfy') return { ...own, kind, token: token ?? null }
  if (kind === 'telegram') return { ...own, kind, token: token ?? '', chat }
  return kind === 'mail' ? { ...own, kind, from, to } : { ...own, kind }
}

function parseQuietHours(text: string): QuietHours {
  const [from = '', to = ''] = text.split('-')
  return { fromMinute: minuteOfDay(from), toMinute: minuteOfDay(to) }
}

function minuteOfDay(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** When a new message may be sent: now, or at the end of the current quiet period. */
export function quietEndMs(quiet: QuietHours | null, nowMs: number): number {
  if (!quiet) return nowMs
  const minute = Math.floor(nowMs / 60_000) % MINUTES_A_DAY
  const { fromMinute, toMinute } = quiet
  const isQuiet =
    fromMinute <= toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute
  if (!isQuiet) return nowMs
  const left = (toMinute - minute + MINUTES_A_DAY) % MINUTES_A_DAY
  return (Math.floor(nowMs / 60_000) + left) * 60_000
}

const MINUTES_A_DAY = 24 * 60
