import type { CommandName } from '../../contract/venue/commands.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import type { PracticeAccounts } from '../accounts/practice.ts'
import { RATE_ONE } from '../base/units.ts'
import type { Engine } from '../engine/engine.ts'
import type { FieldsOf, RequestKind } from '../engine/requests.ts'
import type { AnnouncementAdmin } from '../rest/public/announcements.ts'
import type { FaultInjector, FaultRule } from '../server/faults/rules.ts'
import type { EngineMarket } from '../state/state.ts'
import type { Archive } from './archive.ts'
import { type CommandTexts, type CommandValues, readValues } from './values.ts'

/** The parts of the running venue that commands use. */
export type CommandContext = {
  readonly engine: () => Engine
  readonly practice: PracticeAccounts
  readonly faults: FaultInjector
  readonly notices: AnnouncementAdmin
  readonly archive: Archive
  /** Stores all changes and a snapshot of the world. */
  readonly save: () => void
  /** Opens the venue again from the store. Returns the venue's time. */
  readonly reopen: () => number
  /** Moves a virtual clock forward, or sets its speed; null if the clock is real. */
  readonly advance: ((ms: number) => void) | null
  readonly run: ((times: number) => void) | null
  readonly nowMs: () => number
  /** The world's hash and its violated invariants. */
  readonly check: () => Promise<object>
}

type Command<Name extends CommandName> = (
  context: CommandContext,
  values: CommandValues<Name>,
  atMs: number,
) => object | Promise<object>

/** The commands by name. Each runs at a time of the venue's clock and returns its answer. */
const COMMANDS: { readonly [Name in CommandName]: Command<Name> } = {
  'price shock': onMarkets('shock', (market, { share }) => ({ market, share })),
  'price gap': onMarkets('gap', (market, { share }) => ({ market, share })),
  'price trend': onMarkets('trend', (market, { share, for: forMs }) => ({ market, share, forMs })),
  'price freeze': onMarkets('freeze', (market, { for: forMs }) => ({ market, forMs })),
  'price lean': onMarkets('lean', (market, { share, for: forMs }) => ({ market, share, forMs })),
  'book thin': onMarkets('thin', (market, { share, for: forMs }) => ({ market, share, forMs })),
  'book one-sided': onMarkets('bare', (market, { side, for: forMs }) => ({ market, side, forMs })),
  crowd: onMarkets('newcomer', (market, { side, usdc, leverage }) => ({
    ...{ market, side, amount: Number(usdc), leverage },
  })),
  release: onMarkets('release', (market) => ({ market })),
  market: onMarkets('status', (market, { status }) => ({ market, status })),
  liquidate: ({ engine }, { account: key }, atMs) => {
    const { world, submit } = engine()
    const account = world.exchange.byKey.get(key)
    if (!account) throw new Failure('not_found', { parameter: 'account' })
    const records = submit('liquidate', { account: account.number }, atMs)
    return { liquidations: records.map(({ id, takeovers }) => ({ id, parts: takeovers.length })) }
  },
  announce: ({ notices }, { message, link, type = 'NOTICE' }, atMs) => {
    const announcementId = notices.announce({ message, url: link ?? null, type }, atMs)
    if (announcementId === null)
      throw invalidParameter('message', 'conflicting', { expected: 'fewer announcements: reset' })
    return { announcementId }
  },
  retract: ({ notices }, { announcement }, atMs) => {
    if (!notices.retract(announcement, atMs))
      throw new Failure('not_found', { parameter: 'announcement' })
    return { retracted: announcement }
  },
  'maintenance on': ({ notices }, { message = MAINTENANCE, after = 0, for: lasts }, atMs) => {
    const startMs = atMs + after
    const maintenance = { message, startMs, endMs: lasts === undefined ? null : startMs + lasts }
    notices.maintain(maintenance)
    return maintenance
  },
  'maintenance off': ({ notices }) => {
    notices.maintain(null)
    return { maintenance: 'off' }
  },
  'clock advance': ({ advance, nowMs }, { by }) => {
    if (!advance) throw invalidParameter('by', 'conflicting', { expected: VIRTUAL })
    advance(by)
    return { nowMs: nowMs() }
  },
  'clock run': ({ run, nowMs }, { rate }) => {
    if (!run) throw invalidParameter('rate', 'conflicting', { expected: VIRTUAL })
    run(rate)
    return { rate, nowMs: nowMs() }
  },
  faucet: ({ practice }, values, atMs) => {
    const { token, amount } = faucetCredit(values)
    const account = practice.fund(values.account, amount, token, atMs)
    if (!account) throw new Failure('not_found', { parameter: 'account' })
    return account
  },
  'faults add': ({ faults }, terms, atMs) => {
    const rule = faults.add(terms, atMs)
    if (!rule)
      throw invalidParameter('kind', 'conflicting', { expected: 'fewer faults: faults clear' })
    return faultRow(rule)
  },
  'faults list': ({ faults }) => ({ rows: faults.list().map(faultRow) }),
  'faults clear': ({ faults }) => {
    faults.clear()
    return { rows: [] }
  },
  snapshot: ({ archive, save, nowMs }, { name }) => {
    save()
    if (!archive.keep(name))
      throw invalidParameter('name', 'conflicting', {
        expected: `one of ${archive.names().join(', ')}`,
      })
    return { name, names: archive.names(), nowMs: nowMs() }
  },
  restore: ({ archive, reopen }, { name }) => {
    if (!archive.putBack(name))
      throw new Failure('not_found', { parameter: 'name', names: archive.names() })
    return { name, nowMs: reopen() }
  },
  reset: ({ archive, reopen }) => {
    archive.clear()
    return { nowMs: reopen() }
  },
  hash: async ({ check }) => {
    const { broken: _, ...rest } = { broken: null, ...(await check()) }
    return rest
  },
  check: ({ check }) => check(),
}

const MAINTENANCE = 'System is under maintenance.'
const VIRTUAL = 'PREPD_VENUE_CLOCK=virtual'

/** A command that submits one request per named market and returns the markets afterwards. */
function onMarkets<Kind extends RequestKind, Values extends { readonly symbol: readonly string[] }>(
  kind: Kind,
  fieldsOf: (market: number, values: Values) => FieldsOf<Kind>,
) {
  return ({ engine }: CommandContext, values: Values, atMs: number): object => {
    const { world, submit } = engine()
    const markets = values.symbol.flatMap((symbol) => world.exchange.bySymbol.get(symbol) ?? [])
    if (markets.length === 0) throw new Failure('not_found', { parameter: 'symbol' })
    for (const { number } of markets) submit(kind, fieldsOf(number, values), atMs)
    return { rows: markets.map(marketRow) }
  }
}

function marketRow({ spec, status, index, mark }: EngineMarket): object {
  const price = (ticks: number) => (ticks * spec.tick) / RATE_ONE
  return { symbol: spec.symbol, status, indexPrice: price(index), markPrice: price(mark) }
}

/** A fault rule for display, with its end as a time text. Null means that the rule has no limit. */
function faultRow({ untilMs, left, drawn: _, ...rule }: FaultRule): object {
  return { ...rule, left, until: untilMs === null ? null : new Date(untilMs).toISOString() }
}

/**
 * The credit of a faucet: USDC, or an amount of a token. Throws invalid_request if both are given or a part is missing.
 */
function faucetCredit({ usdc, token, amount }: CommandValues<'faucet'>) {
  if (token === undefined && amount !== undefined) throw invalidParameter('token', 'missing')
  if (token === undefined && usdc === undefined) throw invalidParameter('usdc', 'missing')
  if (token === undefined) return { amount: usdc ?? 0n }
  if (usdc !== undefined) throw invalidParameter('usdc', 'conflicting', { expected: 'amount' })
  if (amount === undefined) throw invalidParameter('amount', 'missing')
  return { token, amount }
}

/** A command whose parameters have been read. It runs when it is called with a time of the venue's clock. */
export type ReadCommand = (context: CommandContext, atMs: number) => object | Promise<object>

/** Reads a command. Throws Failure invalid_request that names the parameter. Running it may also throw not_found. */
export function readCommand<Name extends CommandName>(
  name: Name,
  texts: CommandTexts,
): ReadCommand {
  const values = readValues(name, texts)
  // `values` always belong to the command `name`, but TypeScript cannot infer this from the index type.
  const command = COMMANDS[name] as Command<Name>
  return (context, atMs) => command(context, values, atMs)
}
