import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { DAY_MS } from '../contract/durations.ts'
import type { LogLevel } from '../core/log.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import type { Clock, Log } from '../core/ports.ts'
import { readBounded } from '../core/settings/files.ts'
import type { Configured, Settings } from '../core/settings/settings.ts'
import type { Entry } from '../core/settings/sources.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import type { Tls } from '../http/server/server.ts'
import { StartError, starting } from './start-error.ts'

type ReloaderOptions = {
  readonly first: Configured
  readonly tls: Tls | null
  /** Reads the settings again. Throws UsageError if they have become invalid. */
  readonly read: () => Configured
  readonly setLevel: (level: LogLevel) => void
  readonly setOperatorKeys: (keys: readonly string[]) => void
  readonly renew: (tls: Tls) => void
  readonly clock: Clock
  readonly log: Log
}

/** Applies changed settings while a server runs: the log's level, the operator's keys, the certificate with its key. */
type Reloader = {
  /** Reads all settings again. Logs and ignores an invalid setting, and a setting that needs a restart. */
  readonly reload: () => Promise<void>
  /** Checks whether the certificate's files have changed. */
  readonly lookAtTls: () => Promise<void>
}

type TakesSettings = (first: Settings, next: Settings) => boolean

// A reload can neither switch between plain HTTP and TLS nor add the routes of operator actions.
const takesTls: TakesSettings = (first, next) => first.tls !== null && next.tls !== null
const takesKeys: TakesSettings = (first, next) =>
  first.operatorKeys.length > 0 && next.operatorKeys.length > 0

/** The settings that a reload applies, each with its condition. Changes of other settings need a restart. */
const RELOADED: Readonly<Record<string, TakesSettings>> = {
  LOG: () => true,
  OPERATOR_KEY: takesKeys,
  TLS_CERT: takesTls,
  TLS_KEY: takesTls,
}
const EXPIRY_WARNING_MS = 14 * DAY_MS

/** A reloader for a server that was started with these settings. */
export function createReloader(parts: ReloaderOptions): Reloader {
  const { first, log } = parts
  let { settings, entries } = first
  let { tls } = parts
  let refused = ''
  const warnOfEnd = endWarner(parts)

  function adoptTls(next: Tls): void {
    parts.renew(next)
    tls = next
    log.info('tls_renewed', { expires: new Date(next.endMs).toISOString() })
  }

  // Logs each reason once. The two files change one after the other. The old pair stays in use until the new pair is
  // valid.
  function refuse(reason: string): void {
    if (reason !== refused) log.error('tls_refused', { reason })
    refused = reason
  }

  async function lookAtTls(): Promise<void> {
    try {
      const next = await readTls(settings)
      refused = ''
      if (next && tls && (next.cert !== tls.cert || next.key !== tls.key)) adoptTls(next)
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      refuse(error.message)
    }
    if (tls) warnOfEnd(tls)
  }

  async function reload(): Promise<void> {
    try {
      const next = parts.read()
      const isTaken = (name: string) => RELOADED[name]?.(first.settings, next.settings) === true
      const waiting = changedSettings(first.entries, next.entries).filter((name) => !isTaken(name))
      const taken = changedSettings(entries, next.entries).filter(isTaken)
      entries = next.entries
      if (isTaken('TLS_CERT')) settings = next.settings
      if (isTaken('OPERATOR_KEY')) parts.setOperatorKeys(next.settings.operatorKeys)
      parts.setLevel(next.settings.log.level)
      await lookAtTls()
      log.info('reload', { log: next.settings.log.level, settings: taken.join(' ') || 'none' })
      if (waiting.length > 0) log.warn('restart_needed', { settings: waiting.join(' ') })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      log.error('reload_refused', { reason: error.lines.join('; ') })
    }
  }

  return { reload, lookAtTls }
}

/**
 * Logs, at most once per day, that a certificate expires within two weeks or has expired. A new certificate and the
 * expiry itself are logged at once.
 */
function endWarner({ clock, log }: Pick<ReloaderOptions, 'clock' | 'log'>): (tls: Tls) => void {
  let warned = { cert: '', isOver: false, atMs: 0 }
  return ({ cert, endMs }) => {
    const atMs = clock.nowMs()
    if (endMs > atMs + EXPIRY_WARNING_MS) return
    const isOver = endMs <= atMs
    const isSame = warned.cert === cert && warned.isOver === isOver
    if (isSame && atMs - warned.atMs < DAY_MS) return
    warned = { cert, isOver, atMs }
    const expires = new Date(endMs).toISOString()
    if (isOver) log.error('tls_expired', { expires })
    else log.warn('tls_expires_soon', { expires })
  }
}

function changedSettings(before: readonly Entry[], now: readonly Entry[]): string[] {
  const texts = new Map(before.map(({ name, text }) => [name, text]))
  return now.filter(({ name, text }) => texts.get(name) !== text).map(({ name }) => name)
}

/** Reads the certificate and key that the settings name; null for plain HTTP. Throws StartError. */
export async function readTls({ tls }: Settings): Promise<Tls | null> {
  if (!tls) return null
  const cert = await starting('TLS_CERT', tls.cert, () => readBounded(tls.cert))
  const endMs = await starting('TLS_CERT', tls.cert, () => certificateEndMs(cert))
  const key = await starting('TLS_KEY', tls.key, () => privateKey(tls.key, cert))
  return { cert, key, endMs }
}

/** The expiry of a certificate in PEM. Throws UsageError for any other text. */
export function certificateEndMs(text: string): number {
  const certificate = parsedOrNull(() => new X509Certificate(text))
  if (certificate) return Date.parse(certificate.validTo)
  throw new UsageError(
    'it holds no certificate in PEM: name the file of the certificate and its chain',
  )
}

function privateKey(path: string, cert: string): string {
  if ((statSync(path).mode & 0o004) !== 0)
    throw new UsageError('everybody may read it: chmod 600 it')
  const text = readBounded(path)
  const key = parsedOrNull(() => createPrivateKey(text))
  if (!key)
    throw new UsageError('it holds no private key in PEM, or one with a passphrase: take that away')
  if (!new X509Certificate(cert).checkPrivateKey(key))
    throw new UsageError(
      'it is not the key of the certificate: name the pair that belongs together',
    )
  return text
}

/** Runs a parser; null for any error. The error is dropped because the library's messages quote the file. */
function parsedOrNull<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}
