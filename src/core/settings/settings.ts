import {
  AGENT_SETTINGS,
  SETTING_ROWS,
  type Setting,
  type SettingName,
} from '../../contract/settings.ts'
import { engineSettings } from './engines.ts'
import type { KindValues } from './kinds.ts'
import { agentLimits } from './limit-variables.ts'
import { sameAddress } from './listen-address.ts'
import { type Entry, settingVariable } from './sources.ts'
import { sendsHeadersInClear, type TraceSettings } from './traces.ts'
import { UsageError } from './usage-error.ts'
import {
  entryTexts,
  optionalSetting,
  policyLimits,
  refuseMalformed,
  requiredSetting,
  type SettingTexts,
  withDerived,
} from './values.ts'
import { type VenueSettings, venueSettings } from './venue-settings.ts'

/** Every setting as a typed value. `null` means `off` or not given. */
export type Settings = ReturnType<typeof typedSettings>

/** The parsed settings, and an entry per setting with its text and origin. Derived defaults have entries too. */
export type Configured = { readonly settings: Settings; readonly entries: readonly Entry[] }

/** The account and service of a stdio server; without a URL, the gateway runs in this process. */
export type AgentSettings = ReturnType<typeof toAgentSettings>

/**
 * Parses a full list of entries. Throws UsageError with one line per invalid entry or, if all are valid, one line per
 * contradictory pair. The lines contain no values.
 */
export function toSettings(entries: readonly Entry[]): Settings {
  refuseMalformed(entries, SETTING_ROWS)
  const texts = entryTexts(withDerived(entries))
  const settings = typedSettings(texts)
  const broken = CONTRADICTIONS.filter(({ found }) => found(settings, texts))
  if (broken.length > 0) throw new UsageError(...broken.map(({ line }) => line))
  return settings
}

/** Parses the settings of mcp mode. Throws UsageError like toSettings. An incomplete pair of credentials is allowed. */
export function toAgentSettings(entries: readonly Entry[]) {
  const rows = Object.entries<Setting>(AGENT_SETTINGS).map(([name, row]) => ({ name, ...row }))
  refuseMalformed(entries, rows)
  const texts = entryTexts(entries)
  return {
    apiUrl: optionalSetting(texts, 'SERVICE_API_URL'),
    accountId: optionalSetting(texts, 'SERVICE_ACCOUNT_ID'),
    secret: optionalSetting(texts, 'SERVICE_TRADING_KEY'),
    /** Limits that a model cannot change. */
    limits: agentLimits((name) => requiredSetting(texts, `SERVICE_${name}`)),
    /** The folder in which one user's agents share sent orders and used limits; null means the user's state directory. */
    stateDir: optionalSetting(texts, 'SERVICE_STATE_DIR'),
    /** The groups of tools that exist; null means every group. */
    toolGroups: requiredSetting(texts, 'SERVICE_TOOLS'),
  } as const
}

/** Pairs of settings that contradict each other. */
const CONTRADICTIONS: readonly {
  readonly found: (settings: Settings, texts: SettingTexts) => boolean
  readonly line: string
}[] = [
  {
    found: (_, texts) => texts.has('AFFILIATE_ACCOUNT_ID') !== texts.has('AFFILIATE_TRADING_KEY'),
    line: `${settingVariable('AFFILIATE_ACCOUNT_ID')} and ${settingVariable('AFFILIATE_TRADING_KEY')} go together: give both or neither`,
  },
  {
    found: (_, texts) => (texts.get('TLS_CERT') === 'off') !== (texts.get('TLS_KEY') === 'off'),
    line: `${settingVariable('TLS_CERT')} and ${settingVariable('TLS_KEY')} go together: give both or neither`,
  },
  {
    found: (_, texts) => texts.has('VALKEY') && !texts.has('POSTGRES'),
    line: `${settingVariable('POSTGRES')} is missing: it and ${settingVariable('VALKEY')} go together`,
  },
  {
    found: (_, texts) => texts.has('POSTGRES') && !texts.has('VALKEY'),
    line: `${settingVariable('VALKEY')} is missing: it and ${settingVariable('POSTGRES')} go together`,
  },
  {
    found: ({ engines, venue }) => engines !== null && venue.at === 'embedded',
    line: `${settingVariable('VENUE')} must be a URL with ${settingVariable('POSTGRES')}: every instance would be a world of its own, where another prepd's ${settingVariable('VENUE_LISTEN')} serves one to all`,
  },
  {
    found: ({ venue }) => (venue.at === 'embedded') !== (venue.vaults === 'embedded'),
    line: `${settingVariable('VENUE')} and ${settingVariable('VENUE_VAULTS')} must both be embedded, or both be URLs`,
  },
  {
    found: (_, texts) => (texts.get('VENUE') === 'paper') !== texts.has('PAPER_OF'),
    line: `${settingVariable('VENUE')}=paper and ${settingVariable('PAPER_OF')} go together: give both or neither`,
  },
  {
    found: ({ venue }) => venue.paperOf !== null && venue.clock === 'virtual',
    line: `${settingVariable('VENUE_CLOCK')} must be real with ${settingVariable('VENUE')}=paper: the live market goes on by itself`,
  },
  {
    found: ({ venue: { paperOf, prices, tape, scenario } }) =>
      paperOf !== null && (prices ?? tape ?? scenario) !== null,
    line: `${settingVariable('VENUE_PRICES')}, ${settingVariable('VENUE_TAPE')} and ${settingVariable('VENUE_SCENARIO')} must be off with ${settingVariable('VENUE')}=paper: its prices are the live market's`,
  },
  {
    found: ({ venue }) => venue.paperOf !== null && venue.listen !== null,
    line: `${settingVariable('VENUE_LISTEN')} must be off with ${settingVariable('VENUE')}=paper: public data is the live venue's`,
  },
  {
    found: ({ venue }) => venue.paperOf !== null && !(venue.stream instanceof URL),
    line: `${settingVariable('VENUE_STREAM')} must be the wss base URL of the live venue with ${settingVariable('VENUE')}=paper`,
  },
  {
    found: ({ venue }) =>
      (venue.paperOf === null && isOnOtherMachine(venue, venue.stream)) ||
      isOnOtherMachine(venue, venue.streamPrivate),
    line: `${settingVariable('VENUE_STREAM')} and ${settingVariable('VENUE_STREAM_PRIVATE')} must be embedded as ${settingVariable('VENUE')} is, be URLs as it is, or be off`,
  },
  {
    found: ({ engines, backup }) => engines !== null && backup !== null,
    line: `${settingVariable('BACKUP')} is of a store in a file: with ${settingVariable('POSTGRES')} back the database up with its own tools`,
  },
  {
    found: ({ listen, opsListen }) => sameAddress(listen, opsListen),
    line: `${settingVariable('LISTEN')} and ${settingVariable('OPS_LISTEN')} must differ`,
  },
  {
    found: ({ listen, opsListen, venue }) =>
      sameAddress(listen, venue.listen) || sameAddress(opsListen, venue.listen),
    line: `${settingVariable('VENUE_LISTEN')} must differ from the other listeners`,
  },
  {
    found: ({ traces }) => traces !== null && sendsHeadersInClear(traces),
    line: `${settingVariable('OTEL_EXPORTER_OTLP_ENDPOINT')} must be https or lead to loopback with ${settingVariable('OTEL_EXPORTER_OTLP_HEADERS')}`,
  },
]

function isOnOtherMachine({ at }: VenueSettings, stream: KindValues['stream']): boolean {
  return stream !== null && (at === 'embedded') !== (stream === 'embedded')
}

function typedSettings(texts: SettingTexts) {
  const must = <N extends SettingName>(name: N) => requiredSetting(texts, name)
  const may = <N extends SettingName>(name: N) => optionalSetting(texts, name)
  const [accountId, secret] = [may('AFFILIATE_ACCOUNT_ID'), may('AFFILIATE_TRADING_KEY')]
  const [cert, key] = [must('TLS_CERT'), must('TLS_KEY')]
  return {
    listen: must('LISTEN'),
    opsListen: must('OPS_LISTEN'),
    /** Paths of PEM files; null means plain HTTP. */
    tls: cert && key ? { cert, key } : null,
    /** Time from SIGTERM to the end of listening. */
    stopGraceMs: must('STOP_GRACE') * 1000,
    dataDir: must('DATA_DIR'),
    /** The engines that instances share; null for a single instance with its own file. */
    engines: engineSettings(texts),
    venue: venueSettings(texts),
    /** Maximum number of live data connections. */
    streamClients: must('STREAM_CLIENTS'),
    brokerId: must('BROKER_ID'),
    serviceName: must('SERVICE_NAME'),
    /** The operator's keys; without keys the operator's routes do not exist. */
    operatorKeys: may('OPERATOR_KEY') ?? [],
    affiliate: accountId && secret ? { accountId, secret } : null,
    referralRate: must('REFERRAL_RATE'),
    points: must('POINTS'),
    swap: swapSettings(texts),
    voucher: { path: must('VOUCHER'), keys: may('VOUCHER_KEY') ?? [] },
    /** The files that configure backups, and targets of notices to the operator; null if not given. */
    backup: must('BACKUP'),
    notify: must('NOTIFY'),
    /** Whether owners of accounts may have webhooks. */
    webhooks: must('WEBHOOKS'),
    page: must('PAGE'),
    trustedProxies: must('TRUSTED_PROXIES'),
    allowedOrigins: must('ALLOWED_ORIGINS'),
    /** Host names in lower case, without ports, IPv6 in brackets. */
    allowedHosts: must('ALLOWED_HOSTS'),
    scrubNames: must('SCRUB_NAMES'),
    /** A policy that is off is absent. */
    limits: policyLimits(texts),
    /** The operator's limits for every agent. */
    agentLimits: agentLimits((name) => requiredSetting(texts, `AGENT_${name}`)),
    log: {
      level: must('LOG'),
      requestsPerSecond: must('LOG_REQUESTS'),
      /** Whether an access line has the caller's whole address instead of only its network. */
      wholeCallers: must('LOG_CALLERS'),
    },
    /** The collector of traces and the service's name there; null without tracing. */
    traces: traceSettings(texts),
  } as const
}

function traceSettings(texts: SettingTexts): TraceSettings | null {
  const collector = requiredSetting(texts, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const headers = optionalSetting(texts, 'OTEL_EXPORTER_OTLP_HEADERS') ?? {}
  return (
    collector && { collector, headers, serviceName: requiredSetting(texts, 'OTEL_SERVICE_NAME') }
  )
}

function swapSettings(texts: SettingTexts) {
  return {
    at: requiredSetting(texts, 'SWAP'),
    key: optionalSetting(texts, 'SWAP_KEY'),
    integrator: optionalSetting(texts, 'SWAP_INTEGRATOR'),
    routers: requiredSetting(texts, 'SWAP_ROUTERS'),
  } as const
}
