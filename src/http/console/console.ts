import type {
  ConsoleFigures,
  ConsoleTraffic,
  NamedCount,
  ShownSetting,
} from '../../contract/console/figures.ts'
import {
  CONSOLE_ACTIONS,
  CONSOLE_LIMITS,
  type ConsoleAction,
} from '../../contract/console/limits.ts'
import { type ActName, operatorAct } from '../../contract/operator/acts.ts'
import type { VenueKind } from '../../contract/venue/kind.ts'
import type { AdvanceClock } from '../../core/advance.ts'
import { newestWrites } from '../../core/agent-journal.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { RequestLines } from '../../core/observing/request-lines.ts'
import { type ActAccess, performCommand } from '../../gateway/acts.ts'
import { keyFingerprint } from '../../gateway/controls/controls.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { findMissingPart } from '../../gateway/ready.ts'
import type { Judge } from '../../operator/notify/judge.ts'
import icon from '../../pages/common/favicon.svg' with { type: 'text' }
import { authorize } from '../operator/key-check.ts'
import { createBundle, PAGE_HEADERS } from '../pages/bundle.ts'
import { PAGE_PARTS } from '../pages/parts.ts'
import { requestTarget } from '../server/request.ts'
import { failureResponse, methodNotAllowed } from '../server/responses.ts'
import { feedFigures } from './engines.ts'
import type { Recorder } from './recorder.ts'
import { consoleReasons } from './verdict.ts'

const MOUNT = '/console/'
const FIGURES = `${MOUNT}figures`
const FAILURES_PATH = `${MOUNT}failures`
const TRAFFIC = `${MOUNT}traffic`
const LINES = `${MOUNT}lines`
const SETTINGS = `${MOUNT}settings`
const ACTIONS_ROOT = `${MOUNT}act/`

/** The data of the console: constants, and functions that read the current state. */
export type ConsoleOptions = ConsoleActionOptions & {
  readonly recorder: Recorder
  readonly judge: Pick<Judge, 'look'>
  readonly linesOf: RequestLines['of']
  readonly settings: () => readonly ShownSetting[]
  readonly machine: () => ConsoleFigures['machine']
  readonly version: string
  readonly startedAtMs: number
  readonly venue: {
    readonly kind: VenueKind
    readonly nowMs: () => number
    readonly isVirtual: boolean
    readonly faults: () => number
    readonly changes: () => ConsoleFigures['venue']['changes']
    readonly books: () => ConsoleFigures['venue']['books']
  }
  readonly swap: ConsoleFigures['swap']
  readonly storeSizes: () => Omit<ConsoleFigures['store'], 'windows'>
  /** Reads the figures of live data; null if live data is not configured. */
  readonly streams: (() => NonNullable<ConsoleFigures['streams']>) | null
  /** This instance's name, unique among the instances that share the store. */
  readonly instance: string
  /**
   * Returns the name of the instance that reads live data for all. Throws EngineAway. Null if each process reads live
   * data from the venue.
   */
  readonly feedLeader: (() => Promise<string | null>) | null
  readonly engineFigures: () => ConsoleFigures['engines']
  readonly voucherFigures: () => Promise<ConsoleFigures['vouchers']>
}

/** The operator's console: its page, the figures that the page polls, and its actions. */
export function createConsole(parts: ConsoleOptions) {
  const bundle = createBundle(PAGE_PARTS.console, MOUNT)
  const missing = createVenueCheck(parts)

  async function figures(search: string): Promise<Response> {
    const body = await readConsoleFigures(parts, parseSince(search), await missing())
    return json(body)
  }

  const reads: Readonly<Record<string, (search: string, request: Request) => Promise<Response>>> = {
    [FIGURES]: figures,
    [TRAFFIC]: async (search) => json(await trafficFigures(parts, parseSince(search))),
    [FAILURES_PATH]: async (search) =>
      json({ rows: parts.recorder.failures.ofCode(required(search, 'code')) }),
    [LINES]: async (search) => json({ lines: parts.linesOf(required(search, 'request')) }),
    [SETTINGS]: (_, request) => settingsFor(parts, request),
    '/favicon.svg': async () =>
      new Response(icon, { headers: { 'content-type': 'image/svg+xml', ...PAGE_HEADERS } }),
  }

  async function read(request: Request, path: string, search: string): Promise<Response | null> {
    const { serviceName: service } = parts.deps.operator
    const facts = { service, venue: parts.venue.kind, live: 'off' } as const
    if (path === '/') return bundle.document(request, facts)
    if (Object.hasOwn(reads, path)) return reads[path]?.(search, request) ?? null
    return bundle.part(request, path.slice(MOUNT.length))
  }

  return async (request: Request, path: string, search: string): Promise<Response> => {
    try {
      if (path.startsWith(ACTIONS_ROOT))
        return await act(parts, request, path.slice(ACTIONS_ROOT.length))
      const answer = await read(request, path, search)
      if (!answer) throw new Failure('not_found')
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
      return answer
    } catch (error) {
      // Rethrows any other error to the listener, which reports it.
      if (!(error instanceof Failure)) throw error
      return failureResponse(error)
    }
  }
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...PAGE_HEADERS },
  })
}

function parseSince(search: string): number {
  const since = Number(new URLSearchParams(search).get('since') ?? 0)
  return Number.isFinite(since) ? since : 0
}

/** A required parameter. Throws Failure invalid_request if it is missing. */
function required(search: string, name: string): string {
  const value = new URLSearchParams(search).get(name)
  if (!value) throw invalidParameter(name, 'missing')
  return value
}

/**
 * The response with the settings. It requires an operator key, because the settings name files and hosts. Throws
 * Failure.
 */
async function settingsFor(parts: ConsoleOptions, request: Request): Promise<Response> {
  if (parts.operatorKeys().length === 0) throw new Failure('not_found')
  await authorize(parts, request, 'GET', 'operator')
  return json({ settings: parts.settings() })
}

/** Returns a function that checks whether the venue answers, at most once per interval. */
function createVenueCheck({ deps }: Pick<ConsoleOptions, 'deps'>) {
  let [checkedAtMs, missing]: [number, string | null] = [0, null]
  return async () => {
    const nowMs = deps.clock.nowMs()
    if (Math.abs(nowMs - checkedAtMs) >= CONSOLE_LIMITS.venueCheckMs) {
      checkedAtMs = nowMs
      missing = await findMissingPart(deps)
    }
    return missing
  }
}

async function readConsoleFigures(
  parts: ConsoleOptions,
  sinceMs: number,
  missing: string | null,
): Promise<ConsoleFigures> {
  const { deps, recorder, venue } = parts
  const atMs = deps.clock.nowMs()
  const memory = process.memoryUsage()
  const engines = parts.engineFigures()
  return {
    atMs,
    version: parts.version,
    uptimeSeconds: Math.floor((atMs - parts.startedAtMs) / 1000),
    venue: {
      kind: venue.kind,
      nowMs: venue.nowMs(),
      isVirtual: venue.isVirtual,
      missing,
      faults: venue.faults(),
      changes: venue.changes(),
      books: venue.books(),
    },
    memory: { residentBytes: memory.rss, heapBytes: memory.heapUsed },
    store: { ...parts.storeSizes(), windows: deps.limiter.size() },
    streams: parts.streams?.() ?? null,
    engines,
    feed: await feedFigures(parts.feedLeader, engines ?? []),
    instance: parts.instance,
    vouchers: await parts.voucherFigures(),
    ...(await recordFigures(deps, engines !== null)),
    swap: parts.swap,
    canAct: parts.operatorKeys().length > 0,
    ...recorder.figures(sinceMs),
    machine: parts.machine(),
    verdict: consoleReasons(parts.judge, atMs, missing),
  }
}

type ConsoleActionOptions = ActAccess & {
  /** Called for each request, so that keys can change. An empty list disables the actions. */
  readonly operatorKeys: () => readonly string[]
  /** Moves the embedded venue's virtual clock; null if the venue runs in real time. */
  readonly advance: AdvanceClock | null
}

/** The operator action or clock step behind each action of the console. */
const ACTIONS: Readonly<Record<ConsoleAction, ActName | 'clock'>> = {
  'pause-vouchers': 'pauseVouchers',
  'resume-vouchers': 'resumeVouchers',
  'advance-clock': 'clock',
  'purge-cache': 'purgeCache',
}

/** Performs an action for a caller with an operator key. If it throws Failure, no setting has changed. */
async function act(parts: ConsoleActionOptions, request: Request, name: string): Promise<Response> {
  const action = CONSOLE_ACTIONS.find((known) => known === name)
  if (!action || parts.operatorKeys().length === 0) throw new Failure('not_found')
  // All callers share one window, because a caller of this listener is either an operator or guesses keys.
  const key = await authorize(parts, request, 'POST', 'operator')
  const doing = ACTIONS[action]
  if (doing === 'clock') await advanceClock(parts, request, key)
  else await performCommand(parts, operatorAct(doing), {}, key)
  parts.deps.log.info('operator_acted', { action })
  return new Response(JSON.stringify({ done: action }), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

async function advanceClock(
  { advance, deps }: ConsoleActionOptions,
  request: Request,
  key: string,
) {
  if (!advance) throw new Failure('not_configured')
  const ms = parseAdvanceMs(request)
  const done = { act: 'venue/clock', fields: { ms: String(ms) }, fingerprint: keyFingerprint(key) }
  await deps.controls.commit({ atMs: deps.clock.nowMs(), ...done })
  await advance([{ ms }], { by: 'operator' }, request.signal)
}

function parseAdvanceMs(request: Request): number {
  const text = new URLSearchParams(requestTarget(request.url).split('?')[1]).get('ms') ?? ''
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) > CONSOLE_LIMITS.advanceMaxMs)
    throw invalidParameter('ms', 'out_of_range')
  return Number(text)
}

type RecordSources = Pick<Gateway, 'store' | 'controls' | 'clock'>
type Part = 'standbys' | 'mandates' | 'approvals' | 'agentWrites' | 'instances'

/** Figures of all instances from the store. Empty while the store fails, which the console reports separately. */
async function recordFigures(
  deps: RecordSources,
  isShared: boolean,
): Promise<Pick<ConsoleFigures, Part>> {
  const { store } = deps
  const instances = () => store.traffic.instances().catch(defaultOnFailure('http', [], Failure))
  return {
    standbys: await readCounts(store.standbys),
    mandates: await mandateCounts(deps),
    approvals: await readCounts(store.approvals),
    agentWrites: await agentWrites(deps),
    instances: isShared ? await instances() : null,
  }
}

/** This instance's traffic per minute since `sinceMs`, at most of the last day. Throws Failure while the store fails. */
async function trafficFigures(
  { deps, instance }: { readonly deps: RecordSources; readonly instance: string },
  sinceMs: number,
): Promise<ConsoleTraffic> {
  const dayAgoMs = deps.clock.nowMs() - CONSOLE_LIMITS.trafficKeptMs
  return { minutes: await deps.store.traffic.minutes(instance, Math.max(sinceMs, dayAgoMs)) }
}

async function readCounts(table: {
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}): Promise<readonly NamedCount[]> {
  const rows = await table.counts().catch(defaultOnFailure('http', [], Failure))
  return rows.map(({ state: name, count }) => ({ name, count }))
}

async function mandateCounts({ store, controls }: RecordSources): Promise<readonly NamedCount[]> {
  const { length } = controls.shown().freezes
  const frozen = length ? [{ name: 'operator', count: length }] : []
  return [...(await readCounts(store.mandates)), ...frozen]
}

async function agentWrites({ store }: RecordSources) {
  const writes = newestWrites(store.agentJournal, CONSOLE_LIMITS.agentWritesMax)
  const rows = await writes.catch(defaultOnFailure('http', [], Failure))
  return rows.map(({ sequence, atMs, tool, outcome }) => ({ sequence, atMs, tool, outcome }))
}
