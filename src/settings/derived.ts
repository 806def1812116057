import { isLoopbackHost, LOOPBACK_NAMES } from '../core/base-url.ts'
import { SETTING_KINDS } from './kinds.ts'
import { hostText, type ListenAddress, LOOPBACK_OF_ANY } from './listen-address.ts'
import type { Entry } from './sources.ts'

/** The text of each setting that has one. */
export type Texts = ReadonlyMap<string, string>

/** The entries with the defaults that follow from other entries filled in. */
export function withDerived(entries: readonly Entry[]): Entry[] {
  const texts = textsOf(entries)
  return entries.map((entry) => ({
    ...entry,
    text: entry.text ?? DERIVED[entry.name]?.(texts) ?? null,
  }))
}

/** The entries' texts by name. */
export function textsOf(entries: readonly Entry[]): Texts {
  return new Map(
    entries.flatMap(({ name, text }) => (text === null ? [] : [[name, text] as const])),
  )
}

/** Defaults that are no constant. */
const DERIVED: Readonly<Record<string, (texts: Texts) => string | null>> = {
  VENUE_VAULTS: (texts) => texts.get('VENUE') ?? null,
  VENUE_STREAM: embeddedWithVenue,
  VENUE_STREAM_PRIVATE: embeddedWithVenue,
  SWAP: embeddedWithVenue,
  STOP_GRACE: (texts) => (texts.has('POSTGRES') ? '5' : '0'),
  OTEL_SERVICE_NAME: (texts) => texts.get('SERVICE_NAME') ?? null,
  PAGE: (texts) => (texts.get('VENUE') === 'embedded' ? 'on' : 'off'),
  ALLOWED_HOSTS: (texts) =>
    hostsOf(SETTING_KINDS.listen.parse(texts.get('LISTEN') ?? '')).join(','),
}

function embeddedWithVenue(texts: Texts): string {
  return texts.get('VENUE') === 'embedded' ? 'embedded' : 'off'
}

/** Loopback names, and the host listened on unless it stands for every address. */
function hostsOf(listen: ListenAddress | undefined): readonly string[] {
  const named = listen && !isLoopbackHost(listen.host) && !LOOPBACK_OF_ANY.has(listen.host)
  return named ? [...LOOPBACK_NAMES, hostText(listen.host)] : LOOPBACK_NAMES
}
