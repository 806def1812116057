import { DAY_MS } from '../durations.ts'
import { FAULT_DEFAULTS, FAULT_LIMITS } from './faults.ts'

/**
 * The formats of commands' parameters, each with an example for the help. simulator/control/values.ts defines what each
 * format accepts.
 */
export const VALUE_EXAMPLES = {
  account: `0x${'00'.repeat(32)}`,
  announcementType: 'LISTING',
  count: '1',
  delay: '250',
  duration: '15m',
  fault: 'delay',
  leverage: '10',
  move: '-20%',
  name: 'before',
  path: '/v1/order',
  probability: '0.5',
  rate: '60',
  sigma: '1',
  side: 'BUY',
  size: '0.5',
  status: 'ACTIVE',
  symbols: 'PERP_BTC_USDC',
  text: '"Maintenance at noon"',
  token: 'ETH',
  tokens: '0.5',
  url: 'https://status.example.com',
  usdc: '1000',
} as const

export type CommandValueKind = keyof typeof VALUE_EXAMPLES

export type CommandParameter = {
  readonly kind: CommandValueKind
  readonly meaning: string
  readonly optional?: true
}

export type CommandRow = {
  readonly summary: string
  readonly parameters: Readonly<Record<string, CommandParameter>>
  /** The optional flags in the command's example. */
  readonly example?: string
}

const SYMBOL = { kind: 'symbols', meaning: 'The market, or all.' } as const
const DURATION_PARAMETER = {
  kind: 'duration',
  meaning: "How long, such as 90s, 15m, 8h, 3d, of the venue's time.",
} as const
const ACCOUNT = { kind: 'account', meaning: 'The account: 0x and 64 hex characters.' } as const
const NAME = { kind: 'name', meaning: 'Letters, digits, - and _, at most 32.' } as const

/**
 * Operator commands of the embedded venue. Each is a route under `/api/admin/venue/`, a command of `--mode admin
 * venue`, and a line of a scenario. The route of a two-part name has a slash between the parts.
 */
// biome-ignore format: one parameter a row
export const VENUE_COMMANDS = {
  'clock advance': { summary: 'Move a virtual clock forward.', parameters: {
    by: DURATION_PARAMETER,
  } },
  'clock run': { summary: 'Run a virtual clock at a multiple of real time; 0 stops it.', parameters: {
    rate: { kind: 'rate', meaning: '0 to 100000.' },
  } },
  faucet: { summary: 'Credit USDC, or another token that is collateral, to an account.', example: '--usdc 1000', parameters: {
    account: ACCOUNT,
    usdc: { kind: 'usdc', optional: true, meaning: 'USDC, with at most six decimals.' },
    token: { kind: 'token', optional: true, meaning: 'Another token, USDT or ETH, with its amount.' },
    amount: { kind: 'tokens', optional: true, meaning: 'How much of that token, with at most eight decimals.' },
  } },
  'price shock': { summary: 'Move an index at once, over the orders that rest.', parameters: {
    symbol: SYMBOL,
    share: { kind: 'move', meaning: 'By this share of it, such as -0.2 or -20%.' },
  } },
  'price gap': { summary: 'Let an index jump while all makers are away.', parameters: {
    symbol: SYMBOL,
    share: { kind: 'move', meaning: 'By this share of it, such as -0.2 or -20%.' },
  } },
  'price trend': { summary: 'Let an index gain or lose a share of itself evenly over some time.', parameters: {
    symbol: SYMBOL,
    share: { kind: 'move', meaning: 'The share, such as 0.2 or 20%.' },
    for: DURATION_PARAMETER,
  } },
  'price freeze': { summary: 'Hold an index.', parameters: {
    symbol: SYMBOL,
    for: DURATION_PARAMETER,
  } },
  'price lean': { summary: 'Let makers quote beside the index: a premium, and with it funding.', parameters: {
    symbol: SYMBOL,
    share: { kind: 'move', meaning: 'By this share of it.' },
    for: DURATION_PARAMETER,
  } },
  'book thin': { summary: 'Let makers quote a part of their usual sizes.', parameters: {
    symbol: SYMBOL,
    share: { kind: 'size', meaning: 'The part, above 0 to 1.' },
    for: DURATION_PARAMETER,
  } },
  'book one-sided': { summary: 'Remove the makers from one side of the book.', parameters: {
    symbol: SYMBOL,
    side: { kind: 'side', meaning: 'The empty side: BUY or SELL.' },
    for: DURATION_PARAMETER,
  } },
  crowd: { summary: 'Add a trader who takes one side at the market with all its margin.', parameters: {
    symbol: SYMBOL,
    side: { kind: 'side', meaning: 'BUY or SELL.' },
    usdc: { kind: 'usdc', meaning: 'Its money.' },
    leverage: { kind: 'leverage', meaning: '1 to 100; the market may allow less.' },
  } },
  release: { summary: 'End all operator effects on price and book.', parameters: {
    symbol: SYMBOL,
  } },
  market: { summary: 'Set the status of a market; DELISTING cancels orders, DELISTED closes positions too.', parameters: {
    symbol: SYMBOL,
    status: { kind: 'status', meaning: 'ACTIVE, POST_ONLY, REDUCE_ONLY, PENDING, DELISTING or DELISTED.' },
  } },
  'faults add': { summary: 'Add a fault to the wire.', parameters: {
    kind: { kind: 'fault', meaning: 'Kind of fault, such as delay or error-500.' },
    path: { kind: 'path', optional: true, meaning: `Where: a path or a live topic, with * for any part of it [${FAULT_DEFAULTS.path}].` },
    probability: { kind: 'probability', optional: true, meaning: `Of each call or message, 0 to 1 [${FAULT_DEFAULTS.probability}].` },
    count: { kind: 'count', optional: true, meaning: 'Maximum number of times [no limit].' },
    for: { ...DURATION_PARAMETER, optional: true },
    ms: { kind: 'delay', optional: true, meaning: `Milliseconds of delay and skew [${FAULT_DEFAULTS.ms}].` },
    share: { kind: 'size', optional: true, meaning: `Of a partial fill, above 0 to 1 [${FAULT_DEFAULTS.share}].` },
    sigma: { kind: 'sigma', optional: true, meaning: `Spread of a lognormal delay, 0 to ${FAULT_LIMITS.sigmaMax} [${FAULT_DEFAULTS.sigma}].` },
  } },
  'faults list': { summary: 'List the active faults.', parameters: {} },
  'faults clear': { summary: 'Remove all faults from the wire.', parameters: {} },
  liquidate: { summary: 'Liquidate all positions of an account, at the mark.', parameters: {
    account: ACCOUNT,
  } },
  announce: { summary: 'Publish an announcement.', parameters: {
    message: { kind: 'text', meaning: 'Its text.' },
    link: { kind: 'url', optional: true, meaning: 'A page with more.' },
    type: { kind: 'announcementType', optional: true, meaning: 'Category, such as LISTING [NOTICE].' },
  } },
  retract: { summary: 'Remove an announcement.', parameters: {
    announcement: { kind: 'count', meaning: 'Its number.' },
  } },
  'maintenance on': { summary: 'Announce maintenance of the venue. It still accepts writes.', parameters: {
    message: { kind: 'text', optional: true, meaning: 'Its text.' },
    after: { ...DURATION_PARAMETER, optional: true, meaning: 'Time until it begins [now].' },
    for: { ...DURATION_PARAMETER, optional: true, meaning: 'Its length [until maintenance off].' },
  } },
  'maintenance off': { summary: 'Announce the end of maintenance.', parameters: {} },
  snapshot: { summary: 'Save the state of the venue under a name.', parameters: {
    name: NAME,
  } },
  restore: { summary: 'Restore a saved state of the venue.', parameters: {
    name: NAME,
  } },
  reset: { summary: 'Begin a new world without accounts; saved states stay.', parameters: {} },
  hash: { summary: 'Show the hash of the world.', parameters: {} },
  check: { summary: 'Check the invariants of the venue.', parameters: {} },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof VENUE_COMMANDS

/** Bounds of command values. */
export const COMMAND_LIMITS = {
  /** Maximum length of an announcement. */
  valueMaxChars: 500,
  announcementsMax: 1000,
  durationMaxMs: 366 * DAY_MS,
  rateMax: 100_000,
  /** Lowest and highest change of a price, as a fraction of the price. */
  moveMin: -0.9,
  moveMax: 9,
  /** Maximum number of kept snapshots. */
  snapshotsMax: 8,
} as const

export const COMMAND_NAMES: readonly CommandName[] =
  Object.keys(VENUE_COMMANDS).filter(isCommandName)

/** The path of a command over HTTP. */
export function commandPath(name: CommandName): string {
  return `/api/admin/venue/${name.replace(' ', '/')}`
}

/**
 * Commands that change prices, books and announcements. They are unavailable on mirrored markets, where prices, books
 * and announcements come from the live venue.
 */
const SIMULATED_MARKET_COMMANDS: ReadonlySet<string> = new Set<CommandName>([
  'price shock',
  'price gap',
  'price trend',
  'price freeze',
  'price lean',
  'book thin',
  'book one-sided',
  'crowd',
  'release',
  'announce',
  'retract',
  'maintenance on',
  'maintenance off',
])

/** Whether a command needs simulated markets. */
export function needsSimulatedMarkets(name: CommandName): boolean {
  return SIMULATED_MARKET_COMMANDS.has(name)
}

/** Whether a command of this name exists. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(VENUE_COMMANDS, name)
}
