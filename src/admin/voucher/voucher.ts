import { isHash } from '../../core/hex.ts'
import type { Clock } from '../../core/ports.ts'
import { textOf } from '../../settings/files.ts'
import type { Settings } from '../../settings/settings.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import { VOUCHER_LIMITS } from '../../spec/voucher.ts'
import type { AuditRow, VoucherRow, VoucherStore } from '../../store/voucher/port.ts'
import { readVoucherConfig } from '../../voucher/config-file.ts'
import { voucherSigner } from '../../voucher/signer.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { aligned } from '../help.ts'
import { VOUCHER_FLAGS } from './flags.ts'

export type VoucherCommandDeps = Pick<CommandDeps, 'print'> & {
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
} as const satisfies Record<string, VoucherCommand>

/** A command on the vouchers. Answers the exit code: 0, 1 when there is no such voucher, 64 when a flag is off. */
export type VoucherCommand = (deps: VoucherCommandDeps, args: CommandArguments) => number

/** One line a voucher, the newest first. */
const voucherList: VoucherCommand = ({ print, store, clock }, args) => {
  const rowsMax = rowsOf(args)
  if (rowsMax === null) return printMisuse(print, ROWS_LINE)
  const head = ['DEPOSIT', 'ISSUED', 'STATE', 'FROM', 'TO', 'AMOUNT', 'TOKEN']
  const cells = store
    .list(rowsMax)
    .map((row) => [
      row.depositKey,
      timeOf(row.createdAtMs),
      stateOf(row, clock.nowMs()),
      String(row.sourceChainId),
      String(row.destinationChainId),
      String(row.amount),
      row.token,
    ])
  for (const line of aligned([head, ...cells])) print(line)
  return 0
}

/** Everything that is known of one voucher but its signature, and its part of the audit. */
const voucherShow: VoucherCommand = ({ print, store, clock }, args) => {
  const key = depositOf(args)
  if (!key) return printMisuse(print, DEPOSIT_LINE)
  const row = store.byKey(key)
  if (!row) {
    print('no voucher was issued for this deposit')
    return 1
  }
  const { signature, createdAtMs, updatedAtMs, validUntil, frozen, ...facts } = row
  const cells = [
    ['state', stateOf(row, clock.nowMs())],
    ...Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ['signed', signature === null ? 'no' : 'yes'],
    ['frozen', frozen ? 'yes' : 'no'],
    ['created', timeOf(createdAtMs)],
    ['updated', timeOf(updatedAtMs)],
    ['valid until', timeOf(validUntil * 1000)],
  ]
  for (const line of aligned(cells)) print(line)
  for (const line of aligned(store.audit(VOUCHER_LIMITS.listRowsMax, key).map(auditCells)))
    print(line)
  return 0
}

/** Stops every voucher at once, also those already signed, until it is resumed; a running server obeys it. */
const voucherPause: VoucherCommand = (deps) => turn(deps, true)

/** Lets vouchers be signed again. */
const voucherResume: VoucherCommand = (deps) => turn(deps, false)

/** One line an event, the newest first; of one deposit, or of all. */
const voucherAudit: VoucherCommand = ({ print, store }, args) => {
  const rowsMax = rowsOf(args)
  const key = depositOf(args)
  if (rowsMax === null) return printMisuse(print, ROWS_LINE)
  if (args.has(VOUCHER_FLAGS.deposit.flag) && !key) return printMisuse(print, DEPOSIT_LINE)
  const rows = store.audit(rowsMax, key ?? undefined)
  const head = ['AT', 'EVENT', 'DEPOSIT', 'GENERATION', 'DIGEST', 'SIGNER']
  for (const line of aligned([head, ...rows.map(auditCells)])) print(line)
  return 0
}

/** What is wrong with the voucher settings, one line each; for `config check` and for the start. */
export function voucherProblems(
  { voucher }: Pick<Settings, 'voucher'>,
  files: CommandDeps['files'],
): string[] {
  return [...fileProblems(voucher.path, files), ...keyProblems(voucher.key)]
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

function stateOf({ frozen, signature, validUntil }: VoucherRow, nowMs: number): string {
  if (frozen) return 'frozen'
  if (signature === null) return 'unsigned'
  return validUntil * 1000 > nowMs ? 'valid' : 'expired'
}

function auditCells({ atMs, event, depositKey, generation, digest, signer }: AuditRow): string[] {
  return [
    timeOf(atMs),
    event,
    ...[depositKey, generation, digest, signer].map((cell) => String(cell ?? '-')),
  ]
}

function turn({ print, store, clock }: VoucherCommandDeps, pause: boolean): number {
  const changed = store.atomically(() => {
    if (store.isPaused() === pause) return false
    store.record({ atMs: clock.nowMs(), event: pause ? 'paused' : 'resumed' })
    return true
  })
  print(`vouchers are ${changed ? 'now' : 'already'} ${pause ? 'paused' : 'not paused'}`)
  return 0
}

function fileProblems(path: string | null, files: CommandDeps['files']): string[] {
  if (path === null) return []
  const text = textOf(files, path)
  if (text === null) return [`PREPD_VOUCHER names a file that cannot be read: ${printable(path)}`]
  try {
    readVoucherConfig(text)
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.lines.map((line) => `PREPD_VOUCHER: ${printable(path)}: ${line}`)
  }
}

function keyProblems(key: Uint8Array | null): string[] {
  if (key === null) return []
  try {
    voucherSigner(key)
    return []
  } catch {
    return ['PREPD_VOUCHER_KEY is no secp256k1 secret']
  }
}
