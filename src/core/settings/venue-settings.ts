import type { SettingName } from '../../contract/settings.ts'
import type { VenueKind } from '../../contract/venue/kind.ts'
import { optionalSetting, requiredSetting, type SettingTexts } from './values.ts'

export type VenueSettings = ReturnType<typeof venueSettings>

/** The kind of the venue that the settings name. */
export function chosenVenueKind({ at, paperOf }: VenueSettings): VenueKind {
  if (at !== 'embedded') return 'live'
  return paperOf === null ? 'embedded' : 'paper'
}

/** The settings of the venue. The settings after `vaults` are only for the embedded venue. */
export function venueSettings(texts: SettingTexts) {
  const must = <N extends SettingName>(name: N) => requiredSetting(texts, name)
  const venue = must('VENUE')
  return {
    at: venue === 'paper' ? 'embedded' : venue,
    /** The live venue whose markets the embedded venue mirrors; null for simulated or recorded markets. */
    paperOf: venue === 'paper' ? optionalSetting(texts, 'PAPER_OF') : null,
    vaults: must('VENUE_VAULTS'),
    seed: must('VENUE_SEED'),
    markets: must('VENUE_MARKETS'),
    /** Activity of the simulated traders. */
    activity: must('VENUE_ACTIVITY'),
    prices: must('VENUE_PRICES'),
    /** A tape of books and trades. */
    tape: must('VENUE_TAPE'),
    clock: must('VENUE_CLOCK'),
    /** The callers who may move a virtual clock. */
    clockMover: must('VENUE_ADVANCE'),
    /** Start of virtual time in a new store. */
    startMs: must('VENUE_START'),
    faucetMicros: must('VENUE_FAUCET'),
    fees: must('VENUE_FEES'),
    listen: must('VENUE_LISTEN'),
    limits: must('VENUE_LIMITS'),
    /** Latency of calls, answers and live messages; null means no latency. */
    latency: must('VENUE_LATENCY'),
    scenario: must('VENUE_SCENARIO'),
    /** The venue's live data, public and private. */
    stream: must('VENUE_STREAM'),
    streamPrivate: must('VENUE_STREAM_PRIVATE'),
  } as const
}
