import { LIMITS } from '../../contract/limits.ts'
import { isLoopbackHost } from '../../core/base-url.ts'
import { isInAnyBlock } from '../../core/client-address.ts'
import { type Finding, fail, ok, warn } from '../../core/finding.ts'
import { fileProblems, readTextFile } from '../../core/settings/files.ts'
import type { ListenAddress } from '../../core/settings/listen-address.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { settingVariable } from '../../core/settings/sources.ts'
import { voucherProblems } from '../../gateway/voucher/problems.ts'
import { scenarioProblems } from '../../simulator/control/scenario/parse.ts'
import { marketProblems, readCandles, tapeProblems } from '../../simulator/world-choices.ts'
import { readBackupConfig } from '../backup/config.ts'
import { numbered } from '../command/tables.ts'
import { readNotifyConfig } from '../notify/config.ts'
import type { Check, CheckEnvironment, Findings } from './check.ts'

/** Checks who can reach the operator's listener, which serves reads without a key. */
export const OPS_LISTENER_CHECK: Check = { id: 'ops_listener', run: opsListener }

/** Checks that the price file has a candle at the start of a new world. */
export const PRICES_CHECK: Check = { id: 'prices_start', run: pricesStart }

/** Checks the live data of a live venue. Live data has a separate address. */
export const LIVE_DATA_CHECK: Check = { id: 'live_data', run: liveData }

/** Checks of settings that depend on each other. */
export const CONFIGURATION_CHECKS: readonly Check[] = [
  { id: 'proxies', run: proxies },
  { id: 'plain_http', run: plainHttp },
  OPS_LISTENER_CHECK,
  LIVE_DATA_CHECK,
  { id: 'operator_key', run: operatorKey },
  { id: 'ignored_settings', run: ignoredSettings },
  { id: 'swap_routers', run: swapRouters },
  problemCheck('voucher_file', {
    problems: ({ settings, files }) =>
      settings.voucher.path === null && settings.voucher.keys.length === 0
        ? null
        : voucherProblems(settings, files),
    remedy: 'See the voucher example.',
    seen: () => 'chains, endpoints, quorum, vaults and payouts are in order',
  }),
  problemCheck('notify_file', {
    problems: ({ settings: { notify }, files }) =>
      notify === null ? null : fileProblems(files, 'PREPD_NOTIFY', notify, readNotifyConfig),
    remedy: 'See the notify example.',
    seen: () => 'the targets of notices are in order; `notify test` sends one',
  }),
  problemCheck('venue_markets', {
    problems: ({ settings: { venue } }) =>
      venue.markets && !venue.paperOf ? marketProblems(venue.markets) : null,
    remedy: 'Name others, or set all.',
    seen: ({ venue }) => `a new world has ${numbered(new Set(venue.markets).size, 'market')}`,
  }),
  problemCheck('backup_file', {
    problems: ({ settings: { backup }, files }) =>
      backup === null ? null : fileProblems(files, 'PREPD_BACKUP', backup, readBackupConfig),
    remedy: 'See the backup example.',
    seen: () => 'backups are in order; `backups make` makes one, `backups drill` opens the last',
  }),
  problemCheck('scenario_file', {
    problems: ({ settings: { venue }, files }) =>
      venue.scenario === null
        ? null
        : scenarioProblems(venue.scenario, (path) => readTextFile(files, path)),
    remedy: 'See the scenarios that ship in config/scenarios.',
    seen: () => 'the scenario can be read',
  }),
  problemCheck('prices_file', {
    problems: (deps) => {
      const candles = readPriceCandles(deps)
      if (candles === null) return null
      return typeof candles === 'string' ? [candles] : []
    },
    remedy: 'Its columns are in config/reference/tapes.md.',
    seen: () => 'the candles can be followed',
  }),
  PRICES_CHECK,
  problemCheck('tape_file', {
    problems: ({ settings: { venue } }) => (venue.tape === null ? null : tapeProblems(venue.tape)),
    remedy: 'Look at it with tape verify and tape show.',
    seen: () => 'the tape can be played',
  }),
]

function readPriceCandles({ settings: { venue }, files }: CheckEnvironment) {
  if (venue.prices === null) return null
  return readCandles(venue.prices, (path) => files.read(path, LIMITS.pricesFileMaxBytes))
}

/** Checks that the price file moves a market at the start of a new world. The server's start logs the same warning. */
function pricesStart(deps: CheckEnvironment): Findings {
  const candles = readPriceCandles(deps)
  if (candles === null || typeof candles === 'string') return []
  const { markets, clock, startMs } = deps.settings.venue
  const beginsAtMs = clock === 'virtual' ? startMs : deps.world.clock.nowMs()
  const moved = [...candles].filter(
    ([symbol, { fromMs, toMs }]) =>
      (markets?.includes(symbol) ?? true) && fromMs <= beginsAtMs && beginsAtMs < toMs,
  )
  if (moved.length > 0) return ok(`the index of ${numbered(moved.length, 'market')} follows it`)
  return warn(
    `PREPD_VENUE_PRICES: no candle is of ${new Date(beginsAtMs).toISOString()}, where a new world begins: the index stands still`,
    'Begin where the candles do: PREPD_VENUE_CLOCK=virtual and PREPD_VENUE_START.',
  )
}

type Problems = {
  /** One line per problem; null if there is nothing to check. */
  readonly problems: (deps: CheckEnvironment) => readonly string[] | null
  readonly remedy: string
  readonly seen: (settings: Settings) => string
}

/** A check with one failure per problem. */
function problemCheck(id: string, { problems, remedy, seen }: Problems): Check {
  return {
    id,
    run: (deps) => {
      const lines = problems(deps)
      if (lines === null) return []
      return lines.length > 0 ? lines.map((line) => fail(line, remedy)) : ok(seen(deps.settings))
    },
  }
}

const SAMPLE_ADDRESSES = ['203.0.113.1', '2001:db8::1']
const ANY_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function proxies({ settings }: CheckEnvironment): Finding {
  const { trustedProxies, listen } = settings
  if (trustedProxies.length === 0) return ok('no forwarded address is believed')
  if (SAMPLE_ADDRESSES.every((address) => isInAnyBlock(trustedProxies, address)))
    return fail(
      'PREPD_TRUSTED_PROXIES believes everybody',
      'Name the proxies alone: who may say any address has no limits.',
    )
  // A local proxy reaches [::] from ::1; an entry 127.0.0.1 does not cover that address.
  const hasOldLoopback = isInAnyBlock(trustedProxies, '127.0.0.1')
  if (listen.host === '::' && hasOldLoopback && !isInAnyBlock(trustedProxies, '::1'))
    return warn(
      'PREPD_LISTEN is [::] and the trusted proxies hold 127.0.0.1 without ::1',
      'Add ::1 to PREPD_TRUSTED_PROXIES.',
    )
  return ok(`${numbered(trustedProxies.length, 'trusted block')} of proxies`)
}

function plainHttp({ settings }: CheckEnvironment): Finding {
  const { listen, tls, trustedProxies } = settings
  if (tls !== null) return ok('the listener speaks TLS')
  if (isLoopbackHost(listen.host)) return ok('loopback only')
  if (trustedProxies.length > 0) return ok('behind proxies that are named')
  const where = hostLabel(listen)
  return warn(
    `plain HTTP on ${where}, and no proxy is named`,
    'Set PREPD_TLS_CERT and PREPD_TLS_KEY, or put a proxy in front and name it.',
  )
}

function hostLabel({ host }: ListenAddress): string {
  return ANY_HOSTS.has(host) ? 'every address' : host
}

function opsListener({ settings: { opsListen } }: CheckEnvironment): Finding {
  if (opsListen === null) return ok('there is none')
  if (isLoopbackHost(opsListen.host)) return ok('loopback only')
  return warn(
    `PREPD_OPS_LISTEN is on ${hostLabel(opsListen)}, and needs no key to be read`,
    'Listen on 127.0.0.1, or let only the operator reach it.',
  )
}

const DISTINCT_MIN = 10

function operatorKey({ settings }: CheckEnvironment): Finding {
  const { operatorKeys, webhooks } = settings
  if (operatorKeys.length === 0 && webhooks)
    return warn(
      'PREPD_WEBHOOKS without PREPD_OPERATOR_KEY: secrets of webhooks are stored as text',
      'prepd --mode admin rotate operator',
    )
  if (operatorKeys.length === 0) return ok('none: /api/admin does not exist')
  const weak = operatorKeys.some((key) => new Set(key).size < DISTINCT_MIN)
  if (weak) return warn('few different characters', 'prepd --mode admin rotate operator')
  return operatorKeys.length > 1
    ? warn('the key before is still taken', 'Remove its line after its last user.')
    : ok('one key of good length')
}

function liveData({ settings: { venue }, entries }: CheckEnvironment): Finding {
  if (venue.stream !== null) return ok('from the venue')
  const isChosen = entries.some(
    ({ name, origin }) => name === 'VENUE_STREAM' && origin !== 'default',
  )
  if (isChosen) return ok('off')
  return warn(
    'PREPD_VENUE_STREAM is not set: live data answer 503',
    'Set it to the wss base URL of the venue’s live data, or to off.',
  )
}

/** Finds settings that have no effect because of other settings. */
function ignoredSettings({ settings, entries }: CheckEnvironment): Finding {
  const given = entries.filter(({ origin, text }) => origin !== 'default' && text !== null)
  const isLive = settings.venue.at !== 'embedded' && settings.venue.vaults !== 'embedded'
  const idle = given.filter(({ name }) => {
    if (name.startsWith('VENUE_')) return isLive && EMBEDDED_ONLY.test(name)
    if (name.startsWith('SWAP_')) return settings.swap.at === null
    if (name === 'VOUCHER_KEY') return settings.voucher.path === null
    if (name.startsWith('AFFILIATE_') || name === 'REFERRAL_RATE') return !settings.affiliate
    return false
  })
  if (idle.length === 0) return ok('every setting that is given counts')
  const names = idle.map(({ name }) => settingVariable(name)).join(', ')
  return warn(`without effect here: ${names}`, 'Take them away, or set what they go with.')
}

const EMBEDDED_ONLY = /^VENUE_(?!VAULTS|STREAM)/

function swapRouters({ settings }: CheckEnvironment): Findings {
  const { at, routers } = settings.swap
  if (at === null || at === 'embedded') return []
  if (routers === null)
    return warn(
      'swap transactions may call any contract',
      'List the routers in PREPD_SWAP_ROUTERS.',
    )
  return ok(`swap transactions may call ${numbered(routers.size, 'contract')}`)
}
