import { limitSettings } from './agent-limits.ts'
import { isPolicyName, POLICIES, type Policy, type PolicyName } from './limits.ts'

/** The name of the parser of a setting's text. settings/kinds.ts defines what each parser accepts. */
export type SettingKind =
  | 'accountId'
  | 'accountOrTag'
  | 'address'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'apiUrl'
  | 'baseUrl'
  | 'blocks'
  | 'boolean'
  | 'brokerId'
  | 'clock'
  | 'clockMover'
  | 'latency'
  | 'collector'
  | 'collectorHeaders'
  | 'connections'
  | 'countOrOff'
  | 'fees'
  | 'idleSeconds'
  | 'instant'
  | 'instantOrOff'
  | 'integrator'
  | 'listen'
  | 'listenOrOff'
  | 'logLevel'
  | 'marketsOrAll'
  | 'names'
  | 'operatorKeys'
  | 'path'
  | 'pathOrOff'
  | 'policy'
  | 'postgres'
  | 'fencing'
  | 'graceSeconds'
  | 'rate'
  | 'routers'
  | 'secret'
  | 'serviceName'
  | 'signature'
  | 'stream'
  | 'swap'
  | 'symbolsOrOff'
  | 'toolGroupsOrOff'
  | 'tracedName'
  | 'tradingKey'
  | 'tradingKeyOrKeychain'
  | 'usdc'
  | 'usdcOrOff'
  | 'valkey'
  | 'venue'
  | 'venueLimits'
  | 'venueOrPaper'
  | 'activity'
  | 'walletKeys'
  | 'wholeNumber'

export type Setting = {
  readonly kind: SettingKind
  /** The default as text, or the meaning of an absent setting that has no default text. */
  readonly default: string | { readonly absent: string }
  readonly meaning: string
  /**
   * A secret is hidden in every display and has no flag. It comes from the environment, or a file named by the `_FILE`
   * variable.
   */
  readonly secret?: true
}

const NONE = { absent: 'none' } as const

/**
 * Every setting except the rate limits. The name gives the flag `--data-dir`, the environment variable `PREPD_DATA_DIR`
 * and the TOML key `data_dir`. Settings of OpenTelemetry keep its standard variables.
 */
// biome-ignore format: one setting a row
export const SETTINGS = {
  LISTEN: { kind: 'listen', default: '127.0.0.1:8080', meaning: 'Public listener; port 0 picks a free one.' },
  OPS_LISTEN: { kind: 'listenOrOff', default: '127.0.0.1:8081', meaning: 'Health, metrics and console; `off` disables them.' },
  TLS_CERT: { kind: 'pathOrOff', default: 'off', meaning: 'PEM file of the public listener\'s certificate and chain. `off`: plain HTTP.' },
  TLS_KEY: { kind: 'pathOrOff', default: 'off', meaning: 'PEM file of its private key. Both files are read again when they change.' },
  DATA_DIR: { kind: 'path', default: './data', meaning: 'Data directory, with prepd.sqlite. Only one process may use it.' },
  POSTGRES: { kind: 'postgres', default: NONE, meaning: 'URL of PostgreSQL: shared records of several instances.', secret: true },
  POSTGRES_FENCING: { kind: 'fencing', default: 'prepd', meaning: '`prepd` or `operator`: the one that fences a replaced primary.' },
  POSTGRES_CONNECTIONS: { kind: 'connections', default: '10', meaning: 'Maximum connections: 1/5 for vouchers, 1/5 for reads, the rest for claims.' },
  POSTGRES_IDLE_SECONDS: { kind: 'idleSeconds', default: '10', meaning: 'Seconds until an idle connection is closed. `0`: never.' },
  VALKEY: { kind: 'valkey', default: NONE, meaning: 'URL of Valkey or Redis: rate limits and cache of several instances.', secret: true },
  VENUE: { kind: 'venueOrPaper', default: 'embedded', meaning: '`embedded`, the base URL of a live venue, or `paper` to practise on one.' },
  PAPER_OF: { kind: 'baseUrl', default: NONE, meaning: 'With VENUE=paper: base URL of the live venue. prepd only reads from it.' },
  VENUE_VAULTS: { kind: 'venue', default: { absent: 'VENUE; with paper: embedded' }, meaning: 'Base URL of the venue\'s strategy-vault host.' },
  VENUE_STREAM: { kind: 'stream', default: { absent: 'VENUE or PAPER_OF, else off' }, meaning: '`embedded`, `off`, or the wss base URL of live data.' },
  VENUE_STREAM_PRIVATE: { kind: 'stream', default: { absent: 'embedded in practice, else off' }, meaning: '`embedded`, `off`, or wss base URL for account data.' },
  STREAM_CLIENTS: { kind: 'wholeNumber', default: '5000', meaning: 'Maximum number of WebSockets and event streams at a time.' },
  BROKER_ID: { kind: 'brokerId', default: 'demo', meaning: 'The operator\'s broker id at the venue.' },
  SERVICE_NAME: { kind: 'serviceName', default: 'prepd', meaning: 'Name shown to clients. It cannot be used as a referral code.' },
  OPERATOR_KEY: { kind: 'operatorKeys', default: NONE, meaning: 'Bearer token of /api/admin/*, 32+ characters; second line: previous key.', secret: true },
  AFFILIATE_ACCOUNT_ID: { kind: 'accountId', default: NONE, meaning: 'The operator\'s own venue account, for referral writes and daily revenue.' },
  AFFILIATE_TRADING_KEY: { kind: 'tradingKey', default: NONE, meaning: 'The trading key of that account.', secret: true },
  REFERRAL_RATE: { kind: 'rate', default: '0.1', meaning: 'Rebate rate that POST /api/prep/referral/rate sets, 0 to 1.' },
  POINTS: { kind: 'boolean', default: 'off', meaning: 'Rewards module: `on` or `off`.' },
  SWAP: { kind: 'swap', default: { absent: 'embedded in practice, else off' }, meaning: '`embedded`, `off`, or base URL of the swap upstream.' },
  SWAP_KEY: { kind: 'secret', default: NONE, meaning: 'Key of the swap upstream.', secret: true },
  SWAP_INTEGRATOR: { kind: 'integrator', default: NONE, meaning: 'Integrator name registered with the swap upstream.' },
  SWAP_ROUTERS: { kind: 'routers', default: 'none', meaning: 'Swap routers. `none`: any contract, but only known router functions.' },
  VOUCHER: { kind: 'pathOrOff', default: 'off', meaning: 'TOML file of chains, endpoints, quorum, vaults and payouts, or `off`.' },
  VOUCHER_KEY: { kind: 'walletKeys', default: NONE, meaning: 'Key that signs vouchers: 64 hex characters. Second line: the previous key.', secret: true },
  PAGE: { kind: 'boolean', default: { absent: 'on in practice, else off' }, meaning: 'The trading page at /trade: `on` or `off`.' },
  TRUSTED_PROXIES: { kind: 'blocks', default: 'none', meaning: 'CIDRs of proxies whose forwarded addresses are trusted.' },
  ALLOWED_ORIGINS: { kind: 'allowedOrigins', default: '*', meaning: 'Origins for CORS, or `*`. /mcp and /api/admin accept only listed origins.' },
  ALLOWED_HOSTS: { kind: 'allowedHosts', default: { absent: 'loopback names, the listen host' }, meaning: 'Hosts for /mcp, mandates, /api/admin, OPS_LISTEN.' },
  SCRUB_NAMES: { kind: 'names', default: 'none', meaning: 'Further names of the venue to remove from answers.' },
  VENUE_SEED: { kind: 'wholeNumber', default: '1', meaning: 'Embedded venue: the seed of its markets and traders.' },
  VENUE_MARKETS: { kind: 'marketsOrAll', default: 'all', meaning: 'Embedded venue: the markets of a new world, separated by commas; or `all`.' },
  VENUE_ACTIVITY: { kind: 'activity', default: 'normal', meaning: 'Embedded venue: order flow in a new world: `sparse`, `calm`, `normal`, `busy`.' },
  VENUE_PRICES: { kind: 'pathOrOff', default: 'off', meaning: 'Embedded venue: file of candles (CSV) that its index prices follow, or `off`.' },
  VENUE_TAPE: { kind: 'pathOrOff', default: 'off', meaning: 'Embedded venue: tape whose books and trades a new world plays; or `off`.' },
  VENUE_CLOCK: { kind: 'clock', default: 'real', meaning: 'Embedded venue: `real` or `virtual` time.' },
  VENUE_ADVANCE: { kind: 'clockMover', default: 'operator', meaning: 'Embedded venue: who moves a virtual clock: `operator` or `accounts`.' },
  VENUE_START: { kind: 'instant', default: '2026-01-01T00:00:00Z', meaning: 'Embedded venue: start of the virtual time in a new world.' },
  VENUE_FAUCET: { kind: 'usdc', default: '10000', meaning: 'Embedded venue: USDC credited to a new account.' },
  VENUE_FEES: { kind: 'fees', default: '6,2', meaning: 'Embedded venue: fees of new accounts in bp, `taker,maker`. RWA: 2 more.' },
  VENUE_LISTEN: { kind: 'listenOrOff', default: 'off', meaning: 'Embedded venue: a listener that serves its wire protocol to other programs.' },
  VENUE_LATENCY: { kind: 'latency', default: 'off', meaning: 'Embedded venue: mean/deviation in ms: `feed=20/5,entry=10/2,answer=10/2`.' },
  VENUE_LIMITS: { kind: 'venueLimits', default: 'off', meaning: 'Embedded venue: `live` enforces the rate limits of the live venue.' },
  VENUE_SCENARIO: { kind: 'pathOrOff', default: 'off', meaning: 'Embedded venue: file of timed commands (config/scenarios/crash.txt), or `off`.' },
  STOP_GRACE: { kind: 'graceSeconds', default: { absent: '5 with POSTGRES, else 0' }, meaning: 'Seconds after SIGTERM in which requests are accepted.' },
  LOG: { kind: 'logLevel', default: 'info', meaning: '`error`, `warn`, `info` or `debug`; JSON lines on stderr.' },
  LOG_CALLERS: { kind: 'boolean', default: 'off', meaning: '`on` logs whole addresses of callers, `off` their networks.' },
  LOG_REQUESTS: { kind: 'wholeNumber', default: '100', meaning: 'Maximum requests logged per second, then one in 100. `0`: no request lines.' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { kind: 'collector', default: 'off', meaning: 'Collector of traces (OTLP over HTTP): one span per request and venue call.' },
  OTEL_EXPORTER_OTLP_HEADERS: { kind: 'collectorHeaders', default: NONE, meaning: 'Headers to the collector, `name=value,…`; over https, or to loopback.', secret: true },
  OTEL_SERVICE_NAME: { kind: 'tracedName', default: { absent: 'same as SERVICE_NAME' }, meaning: 'Name of this server in traces.' },
  BACKUP: { kind: 'pathOrOff', default: 'off', meaning: 'TOML file of the schedule, target and recipients of backups, or `off`.' },
  NOTIFY: { kind: 'pathOrOff', default: 'off', meaning: 'TOML file of the targets of notices to the operator, or `off`.' },
  WEBHOOKS: { kind: 'boolean', default: 'off', meaning: 'Webhooks that owners of accounts set: `on` or `off`.' },
  ...limitSettings('AGENT'),
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

type LimitSetting = Setting & { readonly name: string; readonly policy: PolicyName }

/** A rate limit in the form of its setting: `600/60s burst 120`. */
function policyText({ requests, seconds, burst }: Policy): string {
  return `${requests}/${seconds}s burst ${burst}`
}

const LIMIT_MEANINGS: Readonly<Record<PolicyName, string>> = {
  read: 'Public reads, by address.',
  write: 'Account creation, by address.',
  relay: 'Relayed calls, by address.',
  account: 'Relayed calls, by account.',
  cancel: 'Cancelling orders, by address and by account.',
  mcp: 'Agent calls, by address.',
  swap_quote: 'Swap quotes, by address.',
  swap: 'Other swap reads, by address.',
  voucher: 'Vouchers, by address.',
  referral: 'Referral writes, by address.',
  admin: 'Operator calls, by address. Wrong keys count separately.',
}

/** One setting per rate policy. A new policy automatically adds a setting. */
export const LIMIT_SETTINGS: readonly LimitSetting[] = Object.keys(POLICIES)
  .filter(isPolicyName)
  .map((policy) => ({
    name: `LIMIT_${policy.toUpperCase()}`,
    policy,
    kind: 'policy',
    default: policyText(POLICIES[policy]),
    meaning: LIMIT_MEANINGS[policy],
  }))

export type SettingRow = Setting & { readonly name: string }

/** All settings in the order of the documentation. */
export const SETTING_ROWS: readonly SettingRow[] = [
  ...Object.entries<Setting>(SETTINGS).map(([name, row]) => ({ name, ...row })),
  ...LIMIT_SETTINGS,
]

/** Additional settings in mcp mode, when an agent starts the program: environment variables only. */
// biome-ignore format: one variable a row
export const AGENT_SETTINGS = {
  SERVICE_API_URL: { kind: 'apiUrl', default: { absent: 'a prepd in the same process, with the embedded venue' }, meaning: 'Base address of the service, or the address of its tools, which ends in /mcp.' },
  SERVICE_ACCOUNT_ID: { kind: 'accountId', default: NONE, meaning: 'Account of the signing tools.' },
  SERVICE_TRADING_KEY: { kind: 'tradingKeyOrKeychain', default: NONE, meaning: 'Trading key of that account, or `keychain`; signs in this process only.', secret: true },
  ...limitSettings('SERVICE'),
  SERVICE_STATE_DIR: { kind: 'path', default: { absent: 'the folder prepd in the user’s state directory' }, meaning: 'Folder of agent-orders.db, in which a user’s agents share orders and limits.' },
  SERVICE_TOOLS: { kind: 'toolGroupsOrOff', default: 'off', meaning: 'Groups of tools that exist, such as `markets,trading`. `off`: all groups.' },
} as const satisfies Record<string, Setting>

export type AgentSettingName = keyof typeof AGENT_SETTINGS

export const MODES = ['http', 'mcp', 'admin'] as const

export type Mode = (typeof MODES)[number]

/** Flags without a setting. A flag without `value` is a switch. */
// biome-ignore format: one flag a row
export const FLAGS: Readonly<Record<string, { readonly value?: string; readonly meaning: string }>> = {
  '--mode': { value: 'MODE', meaning: '`http` (default), `mcp` or `admin`.' },
  '--config': { value: 'FILE', meaning: 'TOML file of settings.' },
  '--unit': { value: 'UNIT', meaning: 'With a command: the settings and credentials of a systemd unit, as prepd.service or a file.' },
  '--help': { meaning: 'Show this text, or that of a command; -h is the same.' },
  '--version': { meaning: 'Show the version.' },
  '--licenses': { meaning: 'Show the licences of everything inside.' },
  '--json': { meaning: 'With --version or a command: as JSON.' },
}
