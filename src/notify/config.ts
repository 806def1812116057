import { createHash } from 'node:crypto'
import { isLoopbackUrl, parseHttpUrl } from '../core/base-url.ts'
import { type Files, textOf, UNREADABLE } from '../settings/files.ts'
import { readTomlAs } from '../settings/toml-file.ts'
import { printable, UsageError } from '../settings/usage-error.ts'
import { NOTIFY_LIMITS, NotifyFile } from '../spec/operator/notify.ts'

/** Where notices go. `name` is for the log: it holds neither address nor secret. */
export type Target = {
  readonly name: string
  readonly url: URL
} & (
  | { readonly kind: 'webhook'; readonly secret: Uint8Array }
  | { readonly kind: 'ntfy'; readonly token: string | null }
)

/** Minutes of the day in UTC between which only urgent notices go out. */
export type Quiet = { readonly fromMinute: number; readonly toMinute: number }

export type NotifyConfig = { readonly targets: readonly Target[]; readonly quiet: Quiet | null }

/** Reads the file of the setting NOTIFY. Throws UsageError with one line for each problem; no line holds a value. */
export function readNotifyConfig(text: string): NotifyConfig {
  const { targets, quiet } = readTomlAs(NotifyFile, text)
  const problems = targets.flatMap(problemsOf)
  if (problems.length > 0) throw new UsageError(...problems)
  return { targets: targets.map(targetOf), quiet: quiet === undefined ? null : quietOf(quiet) }
}

/** What is wrong with the file at a path, one line each; for `config check` and `doctor`. */
export function notifyProblems(path: string | null, files: Files): readonly string[] {
  if (path === null) return []
  const text = textOf(files, path)
  if (text === null) return [`PREPD_NOTIFY ${UNREADABLE}: ${printable(path)}`]
  try {
    readNotifyConfig(text)
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.lines.map((line) => `PREPD_NOTIFY: ${printable(path)}: ${line}`)
  }
}

type Row = NotifyFile['targets'][number]

function problemsOf({ kind, url, secret, token }: Row, at: number): string[] {
  const parsed = urlOf(url)
  const place = `targets[${at}]`
  const isSecretMissing = kind === 'webhook' && (secret === undefined || !isSecret(secret))
  return [
    ...(parsed ? [] : [`${place}.url must be an https URL, or an http one to loopback`]),
    ...(isSecretMissing
      ? [`${place}.secret is missing: give whsec_ and 24 to 64 bytes in base64`]
      : []),
    ...(kind === 'ntfy' && secret !== undefined ? [`${place}.secret is of webhooks alone`] : []),
    ...(kind === 'webhook' && token !== undefined ? [`${place}.token is of ntfy alone`] : []),
  ]
}

function urlOf(text: string): URL | null {
  const url = parseHttpUrl(text)
  return url && (url.protocol === 'https:' || isLoopbackUrl(url)) ? url : null
}

function isSecret(secret: string): boolean {
  const { length } = bytesOf(secret)
  return length >= NOTIFY_LIMITS.secretMinBytes && length <= NOTIFY_LIMITS.secretMaxBytes
}

function bytesOf(secret: string): Uint8Array {
  return Buffer.from(secret.slice('whsec_'.length), 'base64')
}

/** A target under a name without its address: an ntfy topic is as good as a password. */
function targetOf({ kind, url, secret = '', token }: Row): Target {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 6)
  const own = { name: `${kind} ${hash}`, url: new URL(url) }
  return kind === 'webhook'
    ? { ...own, kind, secret: bytesOf(secret) }
    : { ...own, kind, token: token ?? null }
}

function quietOf(text: string): Quiet {
  const [from = '', to = ''] = text.split('-')
  return { fromMinute: minuteOf(from), toMinute: minuteOf(to) }
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** When a message that begins now may go out: now, or at the end of the quiet period that now is in. */
export function quietEndMs(quiet: Quiet | null, nowMs: number): number {
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
