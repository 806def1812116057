import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { isHash } from '../../core/hex.ts'
import type { Clock } from '../../core/ports.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { isSpent } from '../../gateway/voucher/issue.ts'
import { setPaused } from '../../gateway/voucher/pause.ts'
import type { AuditRow, VoucherRow, VoucherStore } from '../../store/voucher/port.ts'
import { type CommandArguments, type CommandDeps, NoPlaceError } from '../command/command.ts'
import { VOUCHER_FLAGS } from '../command/flags.ts'
import { aligned } from '../command/tables.ts'
import { timeText } from '../command/times.ts'

type VoucherCommandDeps = Pick<CommandDeps, 'report'> & {
  readonly store: VoucherStore
  readonly clock: Clock
}

/**
 * A command on the vouchers. Answers the exit code. Throws NoPlaceError when there is no such voucher, UsageError when a flag
 * is off.
 */
export type VoucherCommand = (deps: VoucherCommandDeps, args: CommandArguments) => Promise<number>

/** One line a voucher, the newest first. */
const voucherList: VoucherCommand = async ({ report, store, clock }, args) => {
  const rowsMax = rowsOf(args)
  const head = ['DEPOSIT', 'ISSUED', 'STATE', 'REASON', 'FROM', 'TO', 'AMOUNT', 'TOKEN']
  const nowMs = clock.nowMs()
  const rows = await store.list(rowsMax)
  const cells = rows.map((row) => [
    row.depositKey,
    // One word a column, so that awk and cut take the table.
    timeText(row.createdAtMs, null),
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
    ['state', stateOf(row, nowMs)],
    ...Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ['signed', signature === null ? 'no' : 'yes'],
    ['created', timeText(createdAtMs, nowMs)],
    ['updated', timeText(updatedAtMs, nowMs)],
    ['valid until', timeText(validUntil * 1000, nowMs)],
    ['redeemable until', timeText(redeemableUntil * 1000, nowMs)],
    ['payable until', payableUntil === null ? '-' : timeText(payableUntil * 1000, nowMs)],
  ]
  const audit = await store.audit(VOUCHER_LIMITS.listRowsMax, key)
  const value = { ...shownOf(row, nowMs), audit: audit.map(plain) }
  report(value, [...aligned(cells), ...aligned(audit.map(auditCells))])
  return 0
}

/**
 * Ends a hold. While a voucher can still be redeemed, the deposit goes on with its own facts and terms; afterwards it is
 * issued anew on those of now, maybe under another redeemer. Only the operator can see that the first has not paid.
 */
const voucherRelease: VoucherCommand = async ({ report, store, clock }, args) => {
  const key = needDeposit(args)
  const nowMs = clock.nowMs()
  const released = await store.atomically([key], async (books) => {
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
const voucherAudit: VoucherCommand = async ({ report, store }, args) => {
  const rowsMax = rowsOf(args)
  const key = args.has(VOUCHER_FLAGS.deposit.flag) ? needDeposit(args) : undefined
  const rows = await store.audit(rowsMax, key)
  const head = ['AT', 'EVENT', 'DEPOSIT', 'GENERATION', 'DIGEST', 'SIGNER']
  report({ rows: rows.map(plain) }, aligned([head, ...rows.map(auditCells)]))
  return 0
}

/** The commands by their last word. */
export const VOUCHER_COMMANDS = {
  list: voucherList,
  show: voucherShow,
  /** Stops every voucher at once, also those already signed, until it is resumed; a running server obeys it. */
  pause: (deps) => turn(deps, true),
  /** Lets vouchers be signed again. */
  resume: (deps) => turn(deps, false),
  audit: voucherAudit,
  release: voucherRelease,
  adopt: voucherAdopt,
} as const satisfies Record<string, VoucherCommand>

const ROWS_DEFAULT = 50
const ROWS_LINE = `${VOUCHER_FLAGS.rows.flag} must be a whole number from 1 to ${VOUCHER_LIMITS.listRowsMax}`
const UNKNOWN = 'no voucher was issued for this deposit'
const DEPOSIT_LINE = `${VOUCHER_FLAGS.deposit.flag} must be given: 0x and 64 hex characters`

function rowsOf(args: CommandArguments): number {
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
    timeText(atMs, null),
    event,
    ...[depositKey, generation, digest, signer].map((cell) => String(cell ?? '-')),
  ]
}

async function turn({ report, store, clock }: VoucherCommandDeps, pause: boolean): Promise<number> {
  const changed = await setPaused(store, clock, pause)
  const line = `vouchers are ${changed ? 'now' : 'already'} ${pause ? 'paused' : 'not paused'}`
  report({ paused: pause, changed }, [line])
  return 0
}
