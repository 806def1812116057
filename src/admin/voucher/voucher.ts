import { isHash } from '../../core/hex.ts'
import type { Clock } from '../../core/ports.ts'
import { VOUCHER_LIMITS } from '../../spec/voucher.ts'
import type { AuditRow, VoucherRow, VoucherStore } from '../../store/voucher/port.ts'
import { isSpent } from '../../voucher/issue.ts'
import { setPaused } from '../../voucher/pause.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command/command.ts'
import { VOUCHER_FLAGS } from '../command/flags.ts'
import { aligned } from '../command/tables.ts'

type VoucherCommandDeps = Pick<CommandDeps, 'print' | 'report'> & {
  readonly store: VoucherStore
  readonly clock: Clock
}

/** The commands by their last word. */
export const VOUCHER_COMMANDS = {
  list: (deps, args) => voucherList(deps, args),
  show: (deps, args) => voucherShow(deps, args),
  pause: (deps, args) => voucherPause(deps, args),
  resume: (deps, args) => voucherResume(deps, args),
  audit: (deps, args) => voucherAudit(deps, args),
  release: (deps, args) => voucherRelease(deps, args),
  adopt: (deps, args) => voucherAdopt(deps, args),
} as const satisfies Record<string, VoucherCommand>

/** A command on the vouchers. Answers the exit code: 0, 1 when there is no such voucher, 64 when a flag is off. */
export type VoucherCommand = (deps: VoucherCommandDeps, args: CommandArguments) => Promise<number>

/** One line a voucher, the newest first. */
const voucherList: VoucherCommand = async ({ print, report, store, clock }, args) => {
  const rowsMax = rowsOf(args)
  if (rowsMax === null) return printMisuse(print, ROWS_LINE)
  const head = ['DEPOSIT', 'ISSUED', 'STATE', 'REASON', 'FROM', 'TO', 'AMOUNT', 'TOKEN']
  const nowMs = clock.nowMs()
  const rows = await store.list(rowsMax)
  const cells = rows.map((row) => [
    row.depositKey,
    timeOf(row.createdAtMs),
    stateOf(row, nowMs),
    row.hold?.replaceAll(' ', '-') ?? '-',
    String(row.sourceChainId),
    String(row.destinationChainId),
    String(row.amount),
    row.token,
  ])
  report({ rows: rows.map((row) => shownOf(row, nowMs)) }, aligned([head, ...cells]))
  return 0
}

/** Everything that is known of one voucher but its signature, and its part of the audit. */
const voucherShow: VoucherCommand = async ({ print, report, store, clock }, args) => {
  const key = depositOf(args)
  if (!key) return printMisuse(print, DEPOSIT_LINE)
  const row = await store.byKey(key)
  if (!row) return printUnknown(print)
  const {
    signature,
    createdAtMs,
    updatedAtMs,
    validUntil,
    redeemableUntil,
    payableUntil,
    ...facts
  } = row
  const cells = [
    ['state', stateOf(row, clock.nowMs())],
    ...Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ['signed', signature === null ? 'no' : 'yes'],
    ['created', timeOf(createdAtMs)],
    ['updated', timeOf(updatedAtMs)],
    ['valid until', timeOf(validUntil * 1000)],
    ['redeemable until', timeOf(redeemableUntil * 1000)],
    ['payable until', payableUntil === null ? '-' : timeOf(payableUntil * 1000)],
  ]
  const audit = await store.audit(VOUCHER_LIMITS.listRowsMax, key)
  const value = { ...shownOf(row, clock.nowMs()), audit: audit.map(plain) }
  report(value, [...aligned(cells), ...aligned(audit.map(auditCells))])
  return 0
}

/** Stops every voucher at once, also those already signed, until it is resumed; a running server obeys it. */
const voucherPause: VoucherCommand = (deps) => turn(deps, true)

/** Lets vouchers be signed again. */
const voucherResume: VoucherCommand = (deps) => turn(deps, false)

/**
 * Ends a hold. While a voucher can still be redeemed, the deposit goes on with its own facts and terms; afterwards it is
 * issued anew on those of now, maybe under another redeemer. Only the operator can see that the first has not paid.
 */
const voucherRelease: VoucherCommand = async ({ print, report, store, clock }, args) => {
  const key = depositOf(args)
  if (!key) return printMisuse(print, DEPOSIT_LINE)
  const nowMs = clock.nowMs()
  const released = await store.atomically([key], async (books) => {
    const row = await books.byKey(key)
    if (!row) return null
    const anew = isSpent(row, nowMs)
    await books.release(key, anew, nowMs)
    await books.record({ atMs: nowMs, event: 'released', row })
    return { row, anew }
  })
  if (!released) return printUnknown(print)
  const { anew, row } = released
  report({ released: key, anew }, [
    anew
      ? `released: the next voucher is as if the first. Pause, if ${row.redeemer} has paid this deposit`
      : `released: its voucher goes on as it was, and can be redeemed until ${timeOf(row.redeemableUntil * 1000)}`,
  ])
  return 0
}

/** Says that the key has signed nothing that this store does not know; without it, a fresh store signs nothing. */
const voucherAdopt: VoucherCommand = async ({ report, store, clock }) => {
  const adopted = await store.atomically([], async (books) => {
    if (await books.isAdopted()) return false
    await books.record({ atMs: clock.nowMs(), event: 'adopted' })
    return true
  })
  const line = `the store is ${adopted ? 'now' : 'already'} adopted: vouchers are signed from it`
  report({ adopted: true, changed: adopted }, [line])
  return 0
}

/** One line an event, the newest first; of one deposit, or of all. */
const voucherAudit: VoucherCommand = async ({ print, report, store }, args) => {
  const rowsMax = rowsOf(args)
  const key = depositOf(args)
  if (rowsMax === null) return printMisuse(print, ROWS_LINE)
  if (args.has(VOUCHER_FLAGS.deposit.flag) && !key) return printMisuse(print, DEPOSIT_LINE)
  const rows = await store.audit(rowsMax, key ?? undefined)
  const head = ['AT', 'EVENT', 'DEPOSIT', 'GENERATION', 'DIGEST', 'SIGNER']
  report({ rows: rows.map(plain) }, aligned([head, ...rows.map(auditCells)]))
  return 0
}

const ROWS_DEFAULT = 50
const ROWS_LINE = `${VOUCHER_FLAGS.rows.flag} must be a whole number from 1 to ${VOUCHER_LIMITS.listRowsMax}`
const DEPOSIT_LINE = `${VOUCHER_FLAGS.deposit.flag} must be given: 0x and 64 hex characters`

function rowsOf(args: CommandArguments): number | null {
  const text = args.get(VOUCHER_FLAGS.rows.flag) ?? String(ROWS_DEFAULT)
  const rows = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  return rows <= VOUCHER_LIMITS.listRowsMax ? rows : null
}

function depositOf(args: CommandArguments): string | null {
  const text = args.get(VOUCHER_FLAGS.deposit.flag) ?? ''
  return isHash(text) ? text.toLowerCase() : null
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

function stateOf({ hold, released, signature, validUntil }: VoucherRow, nowMs: number): string {
  if (hold) return 'held'
  if (released) return 'released'
  if (signature === null) return 'unsigned'
  return validUntil * 1000 > nowMs ? 'valid' : 'expired'
}

/** A voucher for programs: all but its signature, and amounts as texts. */
function shownOf({ signature, ...row }: VoucherRow, nowMs: number): object {
  return { state: stateOf({ signature, ...row }, nowMs), ...plain(row), signed: signature !== null }
}

/** A row whose whole numbers are as long as they are: JSON has none of that length. */
function plain(row: object): object {
  const members = Object.entries(row)
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  )
}

function auditCells({ atMs, event, depositKey, generation, digest, signer }: AuditRow): string[] {
  return [
    timeOf(atMs),
    event,
    ...[depositKey, generation, digest, signer].map((cell) => String(cell ?? '-')),
  ]
}

function printUnknown(print: CommandDeps['print']): 1 {
  print('no voucher was issued for this deposit')
  return 1
}

async function turn({ report, store, clock }: VoucherCommandDeps, pause: boolean): Promise<number> {
  const changed = await setPaused(store, clock, pause)
  const line = `vouchers are ${changed ? 'now' : 'already'} ${pause ? 'paused' : 'not paused'}`
  report({ paused: pause, changed }, [line])
  return 0
}
