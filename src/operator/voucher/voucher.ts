import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { isHash } from '../../core/hex.ts'
import type { Clock } from '../../core/ports.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { readVoucherConfig } from '../../gateway/voucher/config-file.ts'
import { isSpent, lossCountsSinceMs } from '../../gateway/voucher/issue.ts'
import { setPaused } from '../../gateway/voucher/pause.ts'
import type { AuditRow, VoucherRow, VoucherStore } from '../../store/voucher/port.ts'
import { type CommandArguments, type CommandEnvironment, NoPlaceError } from '../command/command.ts'
import { VOUCHER_FLAGS } from '../command/flags.ts'
import { aligned } from '../command/tables.ts'
import { timeText } from '../command/times.ts'

type VoucherEnvironment = Pick<CommandEnvironment, 'report'> & {
  readonly store: VoucherStore
  readonly clock: Clock
  /** See `readValiditySeconds`. Only one command reads the file, so that vouchers can be paused without it. */
  readonly validitySeconds: () => number
}

/**
 * A command on vouchers. Returns the exit code. Throws NoPlaceError for an unknown voucher, UsageError for a malformed
 * flag.
 */
export type VoucherCommand = (deps: VoucherEnvironment, args: CommandArguments) => Promise<number>

type VoucherFileAccess = Pick<CommandEnvironment, 'files'> & {
  readonly settings: { readonly voucher: { readonly path: string | null } }
}

/**
 * Returns `validitySeconds` of the file of PREPD_VOUCHER; its maximum without a file. Throws UsageError if the file is
 * invalid.
 */
export function readValiditySeconds({ files, settings }: VoucherFileAccess): number {
  const { path } = settings.voucher
  const text = path === null ? null : readTextFile(files, path)
  if (text === null) return VOUCHER_LIMITS.validityMaxSeconds
  return readVoucherConfig(text).validitySeconds
}

/** Lists vouchers, one per line, newest first. */
const voucherList: VoucherCommand = async ({ report, store, clock }, args) => {
  const rowsMax = parseRowCount(args)
  const head = ['DEPOSIT', 'ISSUED', 'STATE', 'REASON', 'FROM', 'TO', 'AMOUNT', 'TOKEN']
  const nowMs = clock.nowMs()
  const rows = await store.list(rowsMax)
  const cells = rows.map((row) => [
    row.depositKey,
    // One word per column, so that awk and cut can split the line.
    timeText(row.createdAtMs, null),
    voucherState(row, nowMs),
    row.hold?.replaceAll(' ', '-') ?? '-',
    String(row.sourceChainId),
    String(row.destinationChainId),
    String(row.amount),
    row.token,
  ])
  report({ rows: rows.map((row) => shownVoucher(row, nowMs)) }, aligned([head, ...cells]))
  return 0
}

/** Shows a voucher without its signature, and its audit entries. */
const voucherShow: VoucherCommand = async ({ report, store, clock }, args) => {
  const key = needDeposit(args)
  const row = await store.byKey(key)
  if (!row) throw new NoPlaceError(UNKNOWN)
  const {
    signature,
    createdAtMs,
    updatedAtMs,
    validUntil,
    redeemableUntil,
    payableUntil,
    ...facts
  } = row
  const nowMs = clock.nowMs()
  const cells = [
    ['state', voucherState(row, nowMs)],
    ...Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ['signed', signature === null ? 'no' : 'yes'],
    ['created', timeText(createdAtMs, nowMs)],
    ['updated', timeText(updatedAtMs, nowMs)],
    ['valid until', timeText(validUntil * 1000, nowMs)],
    ['redeemable until', timeText(redeemableUntil * 1000, nowMs)],
    ['payable until', payableUntil === null ? '-' : timeText(payableUntil * 1000, nowMs)],
  ]
  const audit = await store.audit(VOUCHER_LIMITS.listRowsMax, key)
  const value = { ...shownVoucher(row, nowMs), audit: audit.map(plain) }
  report(value, [...aligned(cells), ...aligned(audit.map(auditCells))])
  return 0
}

/**
 * Ends the hold of a deposit. While its voucher is redeemable, the deposit keeps its recorded facts and terms.
 * Afterwards the voucher is issued again under the current terms, possibly for a different redeemer. Only the operator
 * can verify that the first voucher was not paid.
 */
const voucherRelease: VoucherCommand = async ({ report, store, clock }, args) => {
  const key = needDeposit(args)
  const nowMs = clock.nowMs()
  const released = await store.atomically(async (books) => {
    const row = await books.byKey(key)
    if (!row) return null
    const anew = isSpent(row, nowMs)
    await books.release(key, anew, nowMs)
    await books.record({ atMs: nowMs, event: 'released', row })
    return { row, anew }
  })
  if (!released) throw new NoPlaceError(UNKNOWN)
  const { anew, row } = released
  report({ released: key, anew }, [
    anew
      ? `released: the next voucher is as if the first. Pause, if ${row.redeemer} has paid this deposit`
      : `released: its voucher goes on as it was, and can be redeemed until ${timeText(row.redeemableUntil * 1000, nowMs)}`,
  ])
  return 0
}

/**
 * Lets a new store sign, or a store that has lost vouchers. Lost vouchers count as the whole cap until they have expired.
 * With `--complete`, the operator confirms that the store has every voucher.
 */
const voucherAdopt: VoucherCommand = async ({ report, store, clock, validitySeconds }, args) => {
  const atMs = clock.nowMs()
  const countsSinceMs = lossCountsSinceMs(atMs, validitySeconds())
  const confirms = args.has(VOUCHER_FLAGS.complete.flag)
  const { changed, waits, isFresh } = await store.atomically(async (books) => {
    const isNew = !(await books.isAdopted())
    const isFresh = isNew && !confirms && !(await books.hasLostSince(0))
    const hasLost = await books.hasLostSince(countsSinceMs)
    const isComplete = hasLost && confirms
    if (isNew) await books.record({ atMs, event: 'adopted' })
    if (isComplete) await books.record({ atMs, event: 'complete' })
    return { changed: isNew || isComplete, waits: hasLost && !isComplete, isFresh }
  })
  const line = `the store is ${changed ? 'now' : 'already'} adopted: vouchers are signed from it`
  const lines = waits ? [LOST_LINE] : isFresh ? [line, FRESH_LINE] : [line]
  report({ adopted: true, changed, waits }, lines)
  return 0
}

const LOST_LINE = `The store is adopted. prepd returns the vouchers that it knows. It signs new vouchers \`validitySeconds\` plus 24 hours after the loss. If no voucher was lost, run this command with ${VOUCHER_FLAGS.complete.flag}.`
const FRESH_LINE =
  'A new store does not count lost vouchers. If the key has signed vouchers from a lost store, run `voucher pause` now. Run `voucher resume` when `validitySeconds` plus 24 hours have passed since the last of them.'

/** Lists audit events of one deposit or of all, one per line, newest first. */
const voucherAudit: VoucherCommand = async ({ report, store }, args) => {
  const rowsMax = parseRowCount(args)
  const key = args.has(VOUCHER_FLAGS.deposit.flag) ? needDeposit(args) : undefined
  const rows = await store.audit(rowsMax, key)
  const head = ['AT', 'EVENT', 'DEPOSIT', 'GENERATION', 'DIGEST', 'SIGNER']
  report({ rows: rows.map(plain) }, aligned([head, ...rows.map(auditCells)]))
  return 0
}

/** The voucher commands by the last word of their name. */
export const VOUCHER_COMMANDS = {
  list: voucherList,
  show: voucherShow,
  /** Pauses all vouchers at once, including signed ones, until `resume`. A running server also pauses its vouchers. */
  pause: (deps) => setVouchersPaused(deps, true),
  /** Resumes the signing of vouchers. */
  resume: (deps) => setVouchersPaused(deps, false),
  audit: voucherAudit,
  release: voucherRelease,
  adopt: voucherAdopt,
} as const satisfies Record<string, VoucherCommand>

const ROWS_DEFAULT = 50
const ROWS_LINE = `${VOUCHER_FLAGS.rows.flag} must be a whole number from 1 to ${VOUCHER_LIMITS.listRowsMax}`
const UNKNOWN = 'no voucher was issued for this deposit'
const DEPOSIT_LINE = `${VOUCHER_FLAGS.deposit.flag} must be given: 0x and 64 hex characters`

function parseRowCount(args: CommandArguments): number {
  const text = args.get(VOUCHER_FLAGS.rows.flag) ?? String(ROWS_DEFAULT)
  const rows = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (rows <= VOUCHER_LIMITS.listRowsMax) return rows
  throw new UsageError(ROWS_LINE)
}

function needDeposit(args: CommandArguments): string {
  const text = args.get(VOUCHER_FLAGS.deposit.flag) ?? ''
  if (isHash(text)) return text.toLowerCase()
  throw new UsageError(DEPOSIT_LINE)
}

function voucherState(
  { hold, released, signature, validUntil }: VoucherRow,
  nowMs: number,
): string {
  if (hold) return 'held'
  if (released) return 'released'
  if (signature === null) return 'unsigned'
  return validUntil * 1000 > nowMs ? 'valid' : 'expired'
}

/** A voucher for JSON: without its signature, and with amounts as text. */
function shownVoucher({ signature, ...row }: VoucherRow, nowMs: number): object {
  return {
    state: voucherState({ signature, ...row }, nowMs),
    ...plain(row),
    signed: signature !== null,
  }
}

/** A row with big integers as text, because JSON numbers cannot hold big integers. */
function plain(row: object): object {
  const members = Object.entries(row)
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  )
}

function auditCells({ atMs, event, depositKey, generation, digest, signer }: AuditRow): string[] {
  return [
    timeText(atMs, null),
    event,
    ...[depositKey, generation, digest, signer].map((cell) => String(cell ?? '-')),
  ]
}

async function setVouchersPaused(
  { report, store, clock }: VoucherEnvironment,
  pause: boolean,
): Promise<number> {
  const changed = await setPaused(store, clock, pause)
  const line = `vouchers are ${changed ? 'now' : 'already'} ${pause ? 'paused' : 'not paused'}`
  report({ paused: pause, changed }, [line])
  return 0
}
