import { type Statement, type StatementValues, statement } from '../connection/statement.ts'
import type {
  AuditEntry,
  AuditRow,
  HoldReason,
  PaidToken,
  VoucherBooks,
  VoucherCounts,
  VoucherRow,
} from './port.ts'

/** Maps each column to its property of a row. */
const COLUMNS = {
  deposit_key: 'depositKey',
  source_chain_id: 'sourceChainId',
  source_vault: 'sourceVault',
  deposit_id: 'depositId',
  tx_hash: 'txHash',
  log_index: 'logIndex',
  tx_deposits: 'txDeposits',
  block_number: 'blockNumber',
  block_hash: 'blockHash',
  depositor: 'depositor',
  source_token: 'sourceToken',
  source_amount: 'sourceAmount',
  recipient: 'recipient',
  destination_chain_id: 'destinationChainId',
  redeemer: 'redeemer',
  token: 'token',
  amount: 'amount',
  generation: 'generation',
  valid_until: 'validUntil',
  digest: 'digest',
  signature: 'signature',
  signer: 'signer',
  created_at: 'createdAtMs',
  updated_at: 'updatedAtMs',
  redeemable_until: 'redeemableUntil',
  payable_until: 'payableUntil',
  hold: 'hold',
  released: 'released',
} as const satisfies Record<string, keyof VoucherRow>

type BigName = 'depositId' | 'blockNumber' | 'sourceAmount' | 'amount'
/** A stored row: 256-bit numbers are decimal text. */
type Kept = Omit<VoucherRow, BigName | 'released'> & Record<BigName, string> & { released: number }

function toVoucherRow(kept: Kept): VoucherRow {
  return {
    ...kept,
    depositId: BigInt(kept.depositId),
    blockNumber: BigInt(kept.blockNumber),
    sourceAmount: BigInt(kept.sourceAmount),
    amount: BigInt(kept.amount),
    released: kept.released === 1,
  }
}

function toKeptRow(row: VoucherRow): Kept {
  return {
    ...row,
    depositId: row.depositId.toString(),
    blockNumber: row.blockNumber.toString(),
    sourceAmount: row.sourceAmount.toString(),
    amount: row.amount.toString(),
    released: row.released ? 1 : 0,
  }
}

/** Statements that differ between SQLite and PostgreSQL. */
type OwnStatements = {
  /** The amounts of a token that are redeemable at or after `$since`, in one or more rows. Excludes one deposit. */
  readonly redeemable: Statement<
    { amount: string },
    PaidToken & { readonly since: number; readonly exceptKey: string }
  >
  /** Returns one row if the store is adopted, otherwise no rows. */
  readonly adopted: Statement<object, Readonly<Record<string, never>>>
  /** The number of the last audit entry about a loss, as an expression; unknown or 0 without a loss. */
  readonly lostId: string
}

type Ask = <Row extends object, Bound extends StatementValues>(
  statement: Statement<Row, Bound>,
  values: NoInfer<Bound>,
) => Promise<readonly Row[]>

/**
 * Returns a function that creates books over a query function. `recorded` is called with the number of each row of the
 * audit log.
 */
export function voucherBooks(
  prefix: '' | 'prepd_',
  { redeemable, adopted, lostId }: OwnStatements,
) {
  const vouchers = voucherStatements(`${prefix}vouchers`)
  const lines = auditStatements(`${prefix}voucher_audit`, lostId)
  return (rows: Ask, recorded?: (id: number) => void): VoucherBooks => ({
    byKey: async (depositKey) =>
      (await rows(vouchers.byKey, { depositKey })).map(toVoucherRow)[0] ?? null,
    byTransaction: async (chainId, txHash) =>
      (await rows(vouchers.byTransaction, { chainId, txHash })).map(toVoucherRow),
    redeemableSince: async ({ destinationChainId, token }, since, exceptKey = '') =>
      (await rows(redeemable, { destinationChainId, token, since, exceptKey })).reduce(
        (sum, { amount }) => sum + BigInt(amount),
        0n,
      ),
    put: async (row) => void (await rows(vouchers.put, toKeptRow(row))),
    putSignature: async (depositKey, digest, signature, nowMs) =>
      void (await rows(vouchers.putSignature, { depositKey, digest, signature, nowMs })),
    hold: async (depositKey, reason, nowMs) =>
      void (await rows(vouchers.hold, { depositKey, reason, nowMs })),
    release: async (depositKey, anew, nowMs) =>
      void (await rows(vouchers.release, { depositKey, released: Number(anew), nowMs })),
    count: async () => (await rows(vouchers.count, {}))[0] ?? { rows: 0, held: 0 },
    list: async (rowsMax) => (await rows(vouchers.list, { rowsMax })).map(toVoucherRow),
    record: async (entry) => {
      for (const { id } of await rows(lines.record, auditRow(entry))) recorded?.(id)
    },
    isPaused: async () => (await rows(lines.lastTurn, {}))[0]?.event === 'paused',
    isAdopted: async () => (await rows(adopted, {})).length > 0,
    hasLostSince: async (sinceMs) => (await rows(lines.lost, { sinceMs })).length > 0,
    audit: (rowsMax, depositKey = null) => rows(lines.newest, { rowsMax, depositKey }),
  })
}

/** The values of a statement that changes one row. */
type Change<Changed> = Changed & { readonly depositKey: string; readonly nowMs: number }

function voucherStatements(table: string) {
  const names = Object.keys(COLUMNS)
  const members = Object.entries(COLUMNS).map(([name, member]) => `${name} AS "${member}"`)
  const select = `SELECT ${members.join(', ')} FROM ${table}`
  const values = Object.values(COLUMNS).map((member) => `$${member}`)
  const assigned = names.map((name) => `${name} = excluded.${name}`)
  return {
    byKey: statement<Kept, { depositKey: string }>(`${select} WHERE deposit_key = $depositKey`),
    byTransaction: statement<Kept, { chainId: number; txHash: string }>(
      `${select} WHERE source_chain_id = $chainId AND tx_hash = $txHash ORDER BY log_index`,
    ),
    list: statement<Kept, { rowsMax: number }>(
      `${select} ORDER BY created_at DESC, deposit_key LIMIT $rowsMax`,
    ),
    count: statement<VoucherCounts>(`SELECT count(*) AS rows, count(hold) AS held FROM ${table}`),
    put: statement<object, Kept>(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})
       ON CONFLICT (deposit_key) DO UPDATE SET ${assigned.join(', ')}`,
    ),
    putSignature: statement<object, Change<{ digest: string; signature: string }>>(
      `UPDATE ${table} SET signature = $signature, updated_at = $nowMs
       WHERE deposit_key = $depositKey AND digest = $digest AND signature IS NULL`,
    ),
    hold: statement<object, Change<{ reason: HoldReason }>>(
      `UPDATE ${table} SET hold = $reason, released = 0, updated_at = $nowMs
       WHERE deposit_key = $depositKey`,
    ),
    release: statement<object, Change<{ released: number }>>(
      `UPDATE ${table} SET hold = NULL, released = $released, updated_at = $nowMs
       WHERE deposit_key = $depositKey`,
    ),
  }
}

/** The statements of the append-only audit log. */
function auditStatements(table: string, lostId: string) {
  return {
    record: statement<{ id: number }, Omit<AuditRow, 'id'>>(
      `INSERT INTO ${table} (at_ms, event, deposit_key, generation, digest, signer)
       VALUES ($atMs, $event, $depositKey, $generation, $digest, $signer) RETURNING id`,
    ),
    // Whether vouchers are paused is read from the audit log, so the last change always has a time and an author.
    lastTurn: statement<{ event: string }>(
      `SELECT event FROM ${table} WHERE event IN ('paused', 'resumed') ORDER BY id DESC LIMIT 1`,
    ),
    lost: statement<object, { sinceMs: number }>(
      `SELECT 1 FROM ${table} AS lost WHERE id = ${lostId} AND event = 'lost' AND at_ms >= $sinceMs
         AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id > lost.id AND event = 'complete')`,
    ),
    newest: statement<AuditRow, { rowsMax: number; depositKey: string | null }>(
      `SELECT id, at_ms AS "atMs", event, deposit_key AS "depositKey", generation, digest, signer
       FROM ${table} WHERE CAST($depositKey AS TEXT) IS NULL OR deposit_key = $depositKey
       ORDER BY id DESC LIMIT $rowsMax`,
    ),
  }
}

/** The row of an entry, which may have no deposit. */
function auditRow({ atMs, event, row }: AuditEntry): Omit<AuditRow, 'id'> {
  const { depositKey = null, generation = null, digest = null, signer = null } = row ?? {}
  return { atMs, event, depositKey, generation, digest, signer }
}
