import type { SettingName } from '../spec/settings.ts'
import type { VenueKind } from '../spec/venue/kind.ts'
import type { KindValues } from './kinds.ts'
import type { ListenAddress } from './listen-address.ts'
import { need, type Texts, want } from './values.ts'

/** The venue; the fields after `vaults` are for the embedded venue only. */
export type VenueSettings = {
  readonly at: 'embedded' | URL
  /** The live venue whose market the embedded one mirrors; null for simulated or recorded markets. */
  readonly paperOf: URL | null
  readonly vaults: 'embedded' | URL
  readonly seed: number
  readonly markets: KindValues['marketsOrAll']
  /** How much its simulated traders do. */
  readonly activity: KindValues['activity']
  readonly prices: string | null
  /** A tape of books and trades. */
  readonly tape: string | null
  readonly clock: 'real' | 'virtual'
  /** Who may move a virtual clock. */
  readonly clockMover: KindValues['clockMover']
  /** Where virtual time begins in a new store. */
  readonly startMs: number
  readonly faucetMicros: bigint
  readonly fees: KindValues['fees']
  readonly listen: ListenAddress | null
  readonly limits: KindValues['venueLimits']
  /** How long calls, answers and live messages are under way; null for no time. */
  readonly latency: KindValues['latency']
  readonly scenario: string | null
  /** Its live data, public and private. */
  readonly stream: KindValues['stream']
  readonly streamPrivate: KindValues['stream']
}

/** The kind of the venue that the settings name. */
export function venueKindOf({ at, paperOf }: VenueSettings): VenueKind {
  if (at !== 'embedded') return 'live'
  return paperOf === null ? 'embedded' : 'paper'
}

/** The settings of the venue. */
export function venueOf(texts: Texts): VenueSettings {
  const must = <N extends SettingName>(name: N) => need(texts, name)
  const venue = must('VENUE')
  return {
    at: venue === 'paper' ? 'embedded' : venue,
    paperOf: venue === 'paper' ? want(texts, 'PAPER_OF') : null,
    vaults: must('VENUE_VAULTS'),
    seed: must('VENUE_SEED'),
    markets: must('VENUE_MARKETS'),
    activity: must('VENUE_ACTIVITY'),
    prices: must('VENUE_PRICES'),
    tape: must('VENUE_TAPE'),
    clock: must('VENUE_CLOCK'),
    clockMover: must('VENUE_ADVANCE'),
    startMs: must('VENUE_START'),
    faucetMicros: must('VENUE_FAUCET'),
    fees: must('VENUE_FEES'),
    listen: must('VENUE_LISTEN'),
    limits: must('VENUE_LIMITS'),
    latency: must('VENUE_LATENCY'),
    scenario: must('VENUE_SCENARIO'),
    stream: must('VENUE_STREAM'),
    streamPrivate: must('VENUE_STREAM_PRIVATE'),
  }
}
