import type { AdvanceClock } from '../../core/advance.ts'
import { newestWrites } from '../../core/agent-journal.ts'
import { Failure, invalid } from '../../core/failure.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { RequestLines } from '../../core/observing/request-lines.ts'
import { type ActParts, act as doAct } from '../../gateway/acts.ts'
import { fingerprintOf } from '../../gateway/controls/controls.ts'
import { unready } from '../../gateway/ready.ts'
import icon from '../../page/common/favicon.svg' with { type: 'text' }
import {
  CONSOLE_ACTIONS,
  CONSOLE_LIMITS,
  type ConsoleAction,
  type ConsoleFigures,
  type Count,
  type ShownSetting,
} from '../../spec/console/figures.ts'
import { MINUTE_MS } from '../../spec/durations.ts'
import type { ActName } from '../../spec/operator/acts.ts'
import { targetOf } from '../http/request.ts'
import { failureResponse, methodNotAllowed } from '../http/responses.ts'
import { authorize } from '../operator/acts.ts'
import { createBundle, PAGE_HEADERS } from '../pages/bundle.ts'
import { PARTS } from '../pages/parts/console.ts'
import type { Recorder } from './recorder.ts'
import type { Verdict } from './verdict.ts'

const MOUNT = '/console/'
const FIGURES = `${MOUNT}figures`
const FAILURES_PATH = `${MOUNT}failures`
const LINES = `${MOUNT}lines`
const SETTINGS = `${MOUNT}settings`
const ACTIONS_ROOT = `${MOUNT}act/`

/** The parts of the console: constants, and functions that read the present state. */
export type ConsoleParts = ActionParts & {
  readonly recorder: Recorder
  readonly verdict: Verdict
  readonly linesOf: RequestLines['of']
  readonly settings: () => readonly ShownSetting[]
  readonly machine: () => ConsoleFigures['machine']
  readonly version: string
  readonly startedAtMs: number
  readonly venue: {
    readonly kind: 'embedded' | 'live'
    readonly nowMs: () => number
    readonly isVirtual: boolean
    readonly faults: () => number
    readonly changes: () => ConsoleFigures['venue']['changes']
  }
  readonly swap: ConsoleFigures['swap']
  readonly storeSizes: () => Omit<ConsoleFigures['store'], 'windows'>
  /** Null where there is no live data. */
  readonly streams: (() => NonNullable<ConsoleFigures['streams']>) | null
  readonly engineFigures: () => ConsoleFigures['engines']
  readonly voucherFigures: () => Promise<ConsoleFigures['vouchers']>
}

/** The operator's console: its page, the figures that the page polls, and its actions. */
export function createConsole(parts: ConsoleParts) {
  const bundle = createBundle(PARTS, MOUNT)
  const missing = createVenueCheck(parts)

  async function figures(search: string): Promise<Response> {
    const since = Number(new URLSearchParams(search).get('since') ?? 0)
    const body = await figuresOf(parts, Number.isFinite(since) ? since : 0, await missing())
    return json(body)
  }

  async function read(request: Request, path: string, search: string): Promise<Response | null> {
    const { serviceName: service } = parts.deps.operator
    const { recorder } = parts
    const facts = { service, venue: parts.venue.kind, live: 'off' } as const
    if (path === '/') return bundle.document(request, facts)
    if (path === FIGURES) return figures(search)
    if (path === FAILURES_PATH)
      return json({ rows: recorder.failures.ofCode(required(search, 'code')) })
    if (path === LINES) return json({ lines: parts.linesOf(required(search, 'request')) })
    if (path === SETTINGS) return settingsFor(parts, request)
    if (path === '/favicon.svg') {
      return new Response(icon, { headers: { 'content-type': 'image/svg+xml', ...PAGE_HEADERS } })
    }
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
      // A bug is for the listener to report.
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

/** Throws Failure invalid_request where a parameter is missing. */
function required(search: string, name: string): string {
  const value = new URLSearchParams(search).get(name)
  if (!value) throw invalid(name, 'missing')
  return value
}

/** The settings, for the bearer of an operator key: they name files and hosts. Throws Failure. */
async function settingsFor(parts: ConsoleParts, request: Request): Promise<Response> {
  const operatorKeys = parts.operatorKeys()
  if (operatorKeys.length === 0) throw new Failure('not_found')
  await authorize(parts.deps.limiter, request, operatorKeys, 'operator')
  return json({ settings: parts.settings() })
}

/** Asks the venue whether it answers, not oftener than it can change its mind. */
function createVenueCheck({ deps }: Pick<ConsoleParts, 'deps'>) {
  let [checkedAtMs, missing]: [number, string | null] = [0, null]
  return async () => {
    const nowMs = deps.clock.nowMs()
    if (Math.abs(nowMs - checkedAtMs) >= CONSOLE_LIMITS.venueCheckMs) {
      checkedAtMs = nowMs
      missing = await unready(deps)
    }
    return missing
  }
}

async function figuresOf(
  parts: ConsoleParts,
  sinceMs: number,
  missing: string | null,
): Promise<ConsoleFigures> {
  const { deps, recorder, venue } = parts
  const atMs = deps.clock.nowMs()
  const memory = process.memoryUsage()
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
    },
    memory: { residentBytes: memory.rss, heapBytes: memory.heapUsed },
    store: { ...parts.storeSizes(), windows: deps.limiter.size() },
    streams: parts.streams?.() ?? null,
    engines: parts.engineFigures(),
    vouchers: await parts.voucherFigures(),
    standbys: await countsOf(deps.store.standbys),
    mandates: await mandateCounts(deps),
    approvals: await countsOf(deps.store.approvals),
    agentWrites: await agentWrites(deps),
    swap: parts.swap,
    canAct: parts.operatorKeys().length > 0,
    ...recorder.figures(sinceMs),
    machine: parts.machine(),
    verdict: verdictOf(parts, atMs, missing),
  }
}

function verdictOf({ recorder, verdict }: ConsoleParts, nowMs: number, missing: string | null) {
  const { samples } = recorder.figures(nowMs - MINUTE_MS)
  return verdict({ nowMs, missing, samples, faults: recorder.failures.faults() })
}

/** Of all instances; none while the store cannot be asked, which the page says in its own place. */
async function countsOf(table: {
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}): Promise<readonly Count[]> {
  const rows = await table.counts().catch(orElse('http', [], Failure))
  return rows.map(({ state: name, count }) => ({ name, count }))
}

async function mandateCounts({ store, controls }: ActParts['deps']): Promise<readonly Count[]> {
  const { length } = controls.shown().freezes
  const frozen = length ? [{ name: 'operator', count: length }] : []
  return [...(await countsOf(store.mandates)), ...frozen]
}

/** None while the store cannot be asked, as above. */
async function agentWrites({ store }: ActParts['deps']) {
  const writes = newestWrites(store.agentJournal, CONSOLE_LIMITS.agentWritesMax)
  const rows = await writes.catch(orElse('http', [], Failure))
  return rows.map(({ sequence, atMs, tool, outcome }) => ({ sequence, atMs, tool, outcome }))
}

type ActionParts = ActParts & {
  /** Asked for each request; none where nothing can be done from the console. */
  readonly operatorKeys: () => readonly string[]
  /** Moves the embedded venue's virtual clock; null where time is real. */
  readonly advance: AdvanceClock | null
}

/** The console's actions: acts of the operator, and the clock. */
const ACTIONS: Readonly<Record<ConsoleAction, ActName | 'clock'>> = {
  'pause-vouchers': 'pauseVouchers',
  'resume-vouchers': 'resumeVouchers',
  'advance-clock': 'clock',
  'purge-cache': 'purgeCache',
}

/** Carries out an action for the bearer of an operator key. Throws Failure; then nothing has changed. */
async function act(parts: ActionParts, request: Request, name: string): Promise<Response> {
  const action = CONSOLE_ACTIONS.find((known) => known === name)
  const operatorKeys = parts.operatorKeys()
  if (!action || operatorKeys.length === 0) throw new Failure('not_found')
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  // One window for all: every caller of this listener is an operator, or guesses keys.
  const key = await authorize(parts.deps.limiter, request, operatorKeys, 'operator')
  const doing = ACTIONS[action]
  if (doing === 'clock') await advanceClock(parts, request, key)
  else await doAct(parts, doing, {}, key)
  parts.deps.log.info('operator_acted', { action })
  return new Response(JSON.stringify({ done: action }), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

async function advanceClock({ advance, deps }: ActionParts, request: Request, key: string) {
  if (!advance) throw new Failure('not_configured')
  const ms = msOf(request)
  const done = { act: 'venue/clock', fields: { ms: String(ms) }, fingerprint: fingerprintOf(key) }
  await deps.controls.commit({ atMs: deps.clock.nowMs(), ...done })
  await advance([{ ms }], { by: 'operator' }, request.signal)
}

function msOf(request: Request): number {
  const text = new URLSearchParams(targetOf(request.url).split('?')[1]).get('ms') ?? ''
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) > CONSOLE_LIMITS.advanceMaxMs)
    throw invalid('ms', 'out_of_range')
  return Number(text)
}
