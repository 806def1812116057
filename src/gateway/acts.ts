import { isPolicyName, type PolicyName } from '../contract/limits.ts'
import {
  ACT_LIMITS,
  ACTS_ROOT,
  type ActName,
  type OperatorCommand,
} from '../contract/operator/acts.ts'
import type { CommandName } from '../contract/venue/commands.ts'
import { type JournalPosition, newestWrites } from '../core/agent-journal.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import { parseJournalPosition, verifyJournal } from '../core/journal-verdict.ts'
import type { LogLevel } from '../core/log.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import type { ControlChange, KeptResponse } from '../core/ports.ts'
import { SETTING_KINDS } from '../core/settings/kinds.ts'
import { CONTROL_CHANGES, keyFingerprint, parseParty } from './controls/controls.ts'
import type { Gateway } from './gateway.ts'
import { parseWindowKey } from './limits/window-key.ts'

/** Access for the operator's commands. */
export type ActAccess = {
  readonly deps: Gateway
  /** Reads the status of the running server. The action `status` adds the operator's controls. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  readonly setLogLevel: (level: LogLevel) => void
  /** Pauses or resumes vouchers; null if vouchers are off. */
  readonly pauseVouchers: ((pause: boolean) => Promise<unknown>) | null
  /** Runs a command of the embedded venue; null on a live venue. */
  readonly runVenueCommand: ((name: CommandName, texts: CommandFields) => Promise<object>) | null
}

/** The parameters of a command by name. Those of an action are checked against their patterns. */
export type CommandFields = Readonly<Record<string, string>>

type Commit = (changes?: readonly ControlChange[]) => Promise<void>

/**
 * Performs a command for the bearer of the operator key. An action and its changes are recorded in one commit; an
 * action that cannot be recorded is refused. A command of the venue is recorded after it has run. Throws Failure:
 * invalid_request naming the parameter, not_found, not_configured, store_unavailable, and those of the venue.
 */
export async function performCommand(
  parts: ActAccess,
  command: OperatorCommand,
  fields: CommandFields,
  operatorKey: string,
): Promise<object> {
  const { clock, controls } = parts.deps
  const act = command.path.replace(ACTS_ROOT, '')
  const fingerprint = keyFingerprint(operatorKey)
  const commit: Commit = (changes = []) =>
    controls.commit({ atMs: clock.nowMs(), act, fields, fingerprint }, changes)
  if (command.on === 'venue') return performVenueCommand(parts, command.name, fields, commit)
  return ACT_HANDLERS[command.name](parts, (field) => fields[field] ?? '', commit)
}

/** Commands that invalidate cached answers: they replace the venue's world or change its answers. */
const INVALIDATING_COMMANDS: ReadonlySet<CommandName> = new Set([
  'restore',
  'reset',
  'announce',
  'retract',
  'maintenance on',
  'maintenance off',
])

async function performVenueCommand(
  { deps, runVenueCommand }: ActAccess,
  name: CommandName,
  fields: CommandFields,
  commit: Commit,
): Promise<object> {
  if (!runVenueCommand) throw new Failure('not_found')
  const result = await runVenueCommand(name, fields)
  if (INVALIDATING_COMMANDS.has(name)) await deps.cache.purge()
  await commit()
  return result
}

type ActHandler = (
  parts: ActAccess,
  field: (name: string) => string,
  commit: Commit,
) => Promise<object>

const ACT_HANDLERS: Readonly<Record<ActName, ActHandler>> = {
  status: async ({ deps, status }) => ({ ...(await status()), ...deps.controls.shown() }),
  audit: async ({ deps }, field) => ({
    rows: await deps.store.controls.audit(requestedRows(field)),
  }),
  listAgentWrites: async ({ deps }, field) => ({
    rows: await newestWrites(deps.store.agentJournal, requestedRows(field)),
  }),
  verifyAgentWrites: ({ deps }, field) =>
    verifyJournal(deps.store.agentJournal, parseWitness(field)),
  listNonces: ({ deps }, field) => deps.store.nonces.list(requestedRows(field)),
  purgeNonces: async ({ deps }, _field, commit) => {
    await commit()
    return { purged: await deps.store.nonces.purge() }
  },
  listLimits: async ({ deps }, field) => ({
    count: deps.limiter.size(),
    rows: deps.limiter.list(optionalPolicy(field('policy')), requestedRows(field)),
    own: deps.controls.shown().limits,
  }),
  showLimit: async ({ deps }, field) => showLimit(deps, ...requestedWindow(deps, field)),
  setLimit: async ({ deps }, field, commit) => {
    const limit = field('limit')
    if (SETTING_KINDS.policy.parse(limit) === undefined) throw invalidParameter('limit')
    assertRoom(deps.controls.shown().limits.length, ACT_LIMITS.ownLimitsMax)
    const policy = requirePolicy(field('policy'))
    const key = parseWindowKey(policy, field('key'))
    if (key === null) throw invalidParameter('key', 'malformed', { expected: KEY_EXPECTS })
    await commit([CONTROL_CHANGES.limit(policy, key, limit)])
    return showLimit(deps, policy, key)
  },
  resetLimit: async ({ deps }, field, commit) => {
    const [policy, key] = requestedWindow(deps, field)
    await commit([CONTROL_CHANGES.limit(policy, key, null)])
    await deps.limiter.forget(policy, key)
    return showLimit(deps, policy, key)
  },
  listCache: async ({ deps }, field) => {
    const { count, rows } = await deps.store.responses.list('', requestedRows(field))
    return { count, rows: rows.map((row) => datedByWallClock(deps, row)) }
  },
  showCache: async ({ deps }, field) => {
    const key = field('key')
    const { rows } = await deps.store.responses.list(key, 1)
    const row = rows.find((each) => each.key === key)
    if (!row) throw new Failure('not_found')
    const kept = datedByWallClock(deps, row)
    return { ...kept, ageSeconds: Math.floor((deps.clock.nowMs() - kept.fetchedAtMs) / 1000) }
  },
  purgeCache: async ({ deps }, _field, commit) => {
    await commit()
    await deps.cache.purge()
    return { purged: true }
  },
  listRelayed: ({ deps }, field) => deps.store.once.list(requestedRows(field)),
  showRelayed: async ({ deps }, field) => {
    const claim = await deps.store.once.find(field('identity'))
    if (claim === null) throw new Failure('not_found')
    return { identity: field('identity'), expiresAtMs: claim.expiresAtMs }
  },
  listBlocks: async ({ deps }, field) => {
    const { blocks } = deps.controls.shown()
    return { count: blocks.length, rows: blocks.slice(0, requestedRows(field)) }
  },
  block: async ({ deps }, field, commit) => {
    const caller = requireParty(field('caller'))
    assertRoom(deps.controls.shown().blocks.length, ACT_LIMITS.blocksMax)
    await commit([CONTROL_CHANGES.block(caller, deps.clock.nowMs())])
    return { caller, blocked: true }
  },
  unblock: async (_parts, field, commit) => {
    const caller = requireParty(field('caller'))
    await commit([CONTROL_CHANGES.block(caller, null)])
    return { caller, blocked: false }
  },
  listFreezes: async ({ deps }, field) => {
    const { freezes } = deps.controls.shown()
    return { count: freezes.length, rows: freezes.slice(0, requestedRows(field)) }
  },
  freeze: async ({ deps }, field, commit) => {
    assertRoom(deps.controls.shown().freezes.length, ACT_LIMITS.freezesMax)
    const answer = await commitFreeze(field('account'), deps.clock.nowMs(), commit)
    const found = deps.mandates.of(field('account').toLowerCase())
    const held = await found.catch(defaultOnFailure('gateway', null, Failure))
    return { ...answer, ...(held ? deps.gate.stillOpening(held) : { stillOpening: null }) }
  },
  unfreeze: (_parts, field, commit) => commitFreeze(field('account'), null, commit),
  closeWrites: async (_parts, field, commit) => {
    await commit([CONTROL_CHANGES.maintenance(field('sentence'))])
    return { maintenance: field('sentence') }
  },
  openWrites: async (_parts, _field, commit) => {
    await commit([CONTROL_CHANGES.maintenance(null)])
    return { maintenance: null }
  },
  confirmLoss: async ({ deps }, _field, commit) => {
    const { loss } = deps.controls.shown()
    if (loss === null) throw new Failure('not_found')
    await commit([CONTROL_CHANGES.loss()])
    return { confirmed: loss }
  },
  setLogLevel: async ({ setLogLevel }, field, commit) => {
    const level = SETTING_KINDS.logLevel.parse(field('level'))
    if (!level) throw invalidParameter('level')
    await commit()
    setLogLevel(level)
    return { level }
  },
  pauseVouchers: (parts, _field, commit) => setVouchersPaused(parts, true, commit),
  resumeVouchers: (parts, _field, commit) => setVouchersPaused(parts, false, commit),
}

/** Converts an answer's fetch time from the ageing clock, which may be ahead, to the wall clock. */
function datedByWallClock(
  { clock, agingClock }: ActAccess['deps'],
  row: KeptResponse,
): KeptResponse {
  return { ...row, fetchedAtMs: row.fetchedAtMs - agingClock.nowMs() + clock.nowMs() }
}

async function setVouchersPaused(
  { pauseVouchers }: ActAccess,
  pause: boolean,
  commit: () => Promise<void>,
): Promise<object> {
  if (!pauseVouchers) throw new Failure('not_configured')
  await commit()
  await pauseVouchers(pause)
  return { paused: pause }
}

const KEY_EXPECTS = 'an address, an account, or a key as limits list shows it'

async function commitFreeze(account: string, atMs: number | null, commit: Commit): Promise<object> {
  const change = CONTROL_CHANGES.freeze(account, atMs)
  await commit([change])
  return { account: change.key, frozen: atMs !== null }
}

function requestedRows(field: (name: string) => string): number {
  return Number(field('rows') || ACT_LIMITS.rowsDefault)
}

function parseWitness(field: (name: string) => string): JournalPosition | null {
  const text = field('witness')
  return text === '' ? null : parseJournalPosition(text)
}

function optionalPolicy(text: string): PolicyName | null {
  return text === '' ? null : requirePolicy(text)
}

function requireParty(text: string): string {
  const party = parseParty(text)
  if (party === null) throw invalidParameter('caller')
  return party
}

/** Throws invalid_request at the maximum number of rows that the operator may set. */
function assertRoom(count: number, max: number): void {
  if (count >= max) throw new Failure('invalid_request', { limit: max })
}

/** The window that a request names, by its counted key or by the exact key of a limit that the operator set. */
function requestedWindow(
  { controls }: Gateway,
  field: (name: string) => string,
): readonly [policy: PolicyName, key: string] {
  const [policy, key] = [requirePolicy(field('policy')), field('key')]
  const counted = ownLimit(controls, policy, key) ? key : parseWindowKey(policy, key)
  return [policy, counted ?? key]
}

function ownLimit(controls: Gateway['controls'], policy: PolicyName, key: string) {
  return controls.shown().limits.find((row) => row.policy === policy && row.key === key)
}

/** A window with its limit and the remaining requests. */
async function showLimit(
  { limiter, controls }: Gateway,
  policy: PolicyName,
  key: string,
): Promise<object> {
  const { policy: limit, ...verdict } = await limiter.show(policy, key)
  const { requests, seconds, burst } = limit
  const isOff = !Number.isFinite(requests)
  return {
    policy,
    key,
    limit: isOff ? 'off' : `${requests}/${seconds}s burst ${burst}`,
    isOwn: ownLimit(controls, policy, key) !== undefined,
    ...(!isOff && verdict),
  }
}

/** The policy of a name. Throws invalid_request for an unknown name. */
function requirePolicy(text: string): PolicyName {
  if (isPolicyName(text)) return text
  throw invalidParameter('policy')
}
