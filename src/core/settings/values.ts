import type { Policy, PolicyName } from '../../contract/limits.ts'
import {
  AGENT_SETTINGS,
  LIMIT_SETTINGS,
  SETTINGS,
  type SettingKind,
  type SettingRow,
} from '../../contract/settings.ts'
import { isLoopbackHost, LOOPBACK_NAMES } from '../base-url.ts'
import { type KindValues, SETTING_KINDS } from './kinds.ts'
import { hostText, type ListenAddress, LOOPBACK_OF_ANY } from './listen-address.ts'
import type { Entry } from './sources.ts'
import { UsageError } from './usage-error.ts'

/** The text of each setting that has a value. */
export type SettingTexts = ReadonlyMap<string, string>

/** The entries, with derived defaults filled in. */
export function withDerived(entries: readonly Entry[]): Entry[] {
  const texts = entryTexts(entries)
  return entries.map((entry) => ({
    ...entry,
    text: entry.text ?? DERIVED[entry.name]?.(texts) ?? null,
  }))
}

/** The entries' texts by name. */
export function entryTexts(entries: readonly Entry[]): SettingTexts {
  return new Map(
    entries.flatMap(({ name, text }) => (text === null ? [] : [[name, text] as const])),
  )
}

/** Defaults that depend on other settings. */
const DERIVED: Readonly<Record<string, (texts: SettingTexts) => string | null>> = {
  VENUE_VAULTS: (texts) => (isPaper(texts) ? 'embedded' : (texts.get('VENUE') ?? null)),
  VENUE_STREAM: (texts) =>
    isPaper(texts)
      ? (texts.get('PAPER_OF')?.replace(/^http/, 'ws') ?? 'off')
      : embeddedWithVenue(texts),
  VENUE_STREAM_PRIVATE: embeddedWithVenue,
  SWAP: embeddedWithVenue,
  STOP_GRACE: (texts) => (texts.has('POSTGRES') ? '5' : '0'),
  OTEL_SERVICE_NAME: (texts) => texts.get('SERVICE_NAME') ?? null,
  PAGE: (texts) => (isPractice(texts) ? 'on' : 'off'),
  ALLOWED_HOSTS: (texts) =>
    listenHosts(SETTING_KINDS.listen.parse(texts.get('LISTEN') ?? '')).join(','),
}

function embeddedWithVenue(texts: SettingTexts): string {
  return isPractice(texts) ? 'embedded' : 'off'
}

function isPaper(texts: SettingTexts): boolean {
  return texts.get('VENUE') === 'paper'
}

function isPractice(texts: SettingTexts): boolean {
  return texts.get('VENUE') === 'embedded' || isPaper(texts)
}

/** The loopback names, and the listening host unless it is a wildcard. */
function listenHosts(listen: ListenAddress | undefined): readonly string[] {
  const named = listen && !isLoopbackHost(listen.host) && !LOOPBACK_OF_ANY.has(listen.host)
  return named ? [...LOOPBACK_NAMES, hostText(listen.host)] : LOOPBACK_NAMES
}

/** Throws UsageError with one line per given entry that does not match its kind. */
export function refuseMalformed(entries: readonly Entry[], rows: readonly SettingRow[]): void {
  const kinds = new Map(rows.map(({ name, kind }) => [name, SETTING_KINDS[kind]]))
  // Defaults are skipped: `need` parses each at use, and most starts have few other entries.
  const given = entries.filter(({ origin }) => origin !== 'default')
  const problems = given.flatMap(({ name, text, spelling }) => {
    const kind = kinds.get(name)
    if (!kind || text === null || kind.parse(text) !== undefined) return []
    return [`${spelling} must be ${kind.expects}`]
  })
  if (problems.length > 0) throw new UsageError(...problems)
}

const TABLE = { ...SETTINGS, ...AGENT_SETTINGS }

type Name = keyof typeof TABLE
type Kind<N extends Name> = (typeof TABLE)[N]['kind']
type Value<N extends Name> = KindValues[Kind<N>]

/** The value of a setting that always has a value. Throws RangeError without a value, which would be a bug. */
export function requiredSetting<N extends Name>(texts: SettingTexts, name: N): Value<N> {
  const value = parseSetting<Kind<N>>(TABLE[name].kind, texts.get(name) ?? '')
  if (value === undefined) throw new RangeError(`${name} has no value`)
  return value
}

/** The value of a setting that may be absent; null without a value. */
export function optionalSetting<N extends Name>(texts: SettingTexts, name: N): Value<N> | null {
  return texts.has(name) ? requiredSetting(texts, name) : null
}

function parseSetting<K extends SettingKind>(kind: K, text: string): KindValues[K] | undefined {
  return SETTING_KINDS[kind].parse(text)
}

/** The rate limits that are not off, by policy. */
export function policyLimits(texts: SettingTexts): Partial<Record<PolicyName, Policy>> {
  const limits: Partial<Record<PolicyName, Policy>> = {}
  for (const { name, policy } of LIMIT_SETTINGS) {
    const limit = SETTING_KINDS.policy.parse(texts.get(name) ?? '')
    if (limit) limits[policy] = limit
  }
  return limits
}
