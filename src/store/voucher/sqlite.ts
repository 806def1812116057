import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommitMark, NO_MARK, openMark } from '../connection/commit-mark.ts'
import { openVoucherDatabase } from '../connection/connection.ts'
import { attempt, watchTrouble } from '../connection/trouble.ts'
import { ASSIGNED, COLUMNS, type Kept, keptOf, rowOf } from './columns.ts'
import type { AuditRow, HoldReason, VoucherCounts, VoucherFile } from './port.ts'

/**
 * Opens the vouchers in a store's file, or in memory for ':memory:'. Takes no lock: the operator's commands read and
 * pause beside a running server, and every decision is one exclusive transaction. Throws StoreNewerError; its calls
 * throw Failure `store_unavailable` where a row can be neither kept nor read: nothing has changed then.
 */
export function openVoucherStore(path: string): VoucherFile {
  const database = openVoucherDatabase(path)
  const mark = markOf(path)
  const lastId = noticeLoss(database, mark)
  const table = voucherTable(database)
  const audit = auditTable(database)
  const { guard } = watchTrouble()
  // What is committed stays so, whatever becomes of its mark.
  const noted = <Value>(value: Value): Value => {
    attempt(guard, () => mark.writeVouchers(lastId()))
    return value
  }
  const guarded =
    <Given extends unknown[], Value>(call: (...given: Given) => Value) =>
    (...given: Given): Value =>
      guard(() => call(...given))
  return {
    ...table,
    ...audit,
    byKey: guarded(table.byKey),
    byTransaction: guarded(table.byTransaction),
    putSignature: guarded(table.putSignature),
    isPaused: guarded(audit.isPaused),
    record: guarded((entry) => {
      audit.record(entry)
      if (!database.inTransaction) noted(null)
    }),
    atomically: (steps) => noted(guard(() => database.transaction(steps).immediate())),
    begin: () => guard(() => void database.run('BEGIN IMMEDIATE')),
    commit: () => noted(guard(() => void database.run('COMMIT'))),
    rollback: () => void database.run('ROLLBACK'),
    close: () => {
      mark.close()
      database.close()
    },
  }
}

/** The marks that the server keeps beside the store, where there are any. */
function markOf(path: string): CommitMark {
  const beside = join(dirname(path), 'prepd.mark')
  return path !== ':memory:' && existsSync(beside) ? openMark(beside) : NO_MARK
}

/**
 * Records the loss of a file that has fewer lines of the audit than its mark, such as an earlier copy: nothing is signed
 * until it is adopted. Answers how to read the number of the last line.
 */
function noticeLoss(database: Database, mark: CommitMark): () => number {
  const last = database.prepare<{ id: number }, []>(
    'SELECT coalesce(max(id), 0) AS id FROM voucher_audit',
  )
  const lose = database.prepare<null, [number]>(
    `INSERT INTO voucher_audit (id, at_ms, event)
     VALUES (?, CAST(unixepoch('subsec') * 1000 AS INTEGER), 'lost')`,
  )
  const lastId = () => last.get()?.id ?? 0
  // The mark is read first: a server that writes beside this command marks what it has committed.
  const { vouchers } = mark.read()
  const record = database.transaction(() => {
    if (lastId() < vouchers) lose.run(vouchers + 1)
  })
  if (lastId() < vouchers) record.immediate()
  if (lastId() > vouchers) mark.writeVouchers(lastId())
  return lastId
}

const SELECTED = Object.entries(COLUMNS)
  .map(([column, member]) => `${column} AS ${member}`)
  .join(', ')

type VoucherTable = Pick<
  VoucherFile,
  | 'byKey'
  | 'byTransaction'
  | 'redeemableSince'
  | 'put'
  | 'putSignature'
  | 'hold'
  | 'release'
  | 'list'
  | 'count'
>

function voucherTable(database: Database): VoucherTable {
  const statements = prepare(database)
  return {
    byKey: (depositKey) => statements.byKey.all({ depositKey }).map(rowOf)[0] ?? null,
    byTransaction: (chainId, txHash) =>
      statements.byTransaction.all({ chainId, txHash }).map(rowOf),
    // SQLite adds 64 bits; these are 256.
    redeemableSince: ({ destinationChainId: chainId, token }, sinceSeconds, exceptKey = '') =>
      statements.redeemable
        .all({ chainId, token, sinceSeconds, exceptKey })
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    put: (row) => void statements.put.run(keptOf(row)),
    putSignature: (depositKey, digest, signature, nowMs) =>
      void statements.putSignature.run({ depositKey, digest, signature, nowMs }),
    hold: (depositKey, reason, nowMs) => void statements.hold.run({ depositKey, reason, nowMs }),
    release: (depositKey, anew, nowMs) =>
      void statements.release.run({ depositKey, released: Number(anew), nowMs }),
    count: () => statements.count.get() ?? { rows: 0, held: 0 },
    list: (rowsMax) => statements.list.all({ rowsMax }).map(rowOf),
  }
}

function prepare(database: Database) {
  const select = <P extends Record<string, string | number>>(rest: string) =>
    database.prepare<Kept, [P]>(`SELECT ${SELECTED} FROM vouchers ${rest}`)
  return {
    byKey: select<{ depositKey: string }>('WHERE deposit_key = $depositKey'),
    byTransaction: select<{ chainId: number; txHash: string }>(
      'WHERE source_chain_id = $chainId AND tx_hash = $txHash ORDER BY log_index',
    ),
    list: select<{ rowsMax: number }>('ORDER BY created_at DESC, deposit_key LIMIT $rowsMax'),
    redeemable: database.prepare<
      { amount: string },
      [{ chainId: number; token: string; sinceSeconds: number; exceptKey: string }]
    >(
      `SELECT amount FROM vouchers WHERE destination_chain_id = $chainId AND token = $token
       AND redeemable_until >= $sinceSeconds AND deposit_key <> $exceptKey`,
    ),
    count: database.prepare<VoucherCounts, []>(
      'SELECT count(*) AS rows, count(hold) AS held FROM vouchers',
    ),
    put: database.prepare<null, [Kept]>(
      `INSERT INTO vouchers (${Object.keys(COLUMNS).join(', ')})
       VALUES (${Object.values(COLUMNS)
         .map((member) => `$${member}`)
         .join(', ')})
       ON CONFLICT (deposit_key) DO UPDATE SET ${ASSIGNED}`,
    ),
    putSignature: database.prepare<
      null,
      [{ depositKey: string; digest: string; signature: string; nowMs: number }]
    >(
      `UPDATE vouchers SET signature = $signature, updated_at = $nowMs
       WHERE deposit_key = $depositKey AND digest = $digest AND signature IS NULL`,
    ),
    hold: database.prepare<null, [{ depositKey: string; reason: HoldReason; nowMs: number }]>(
      `UPDATE vouchers SET hold = $reason, released = 0, updated_at = $nowMs
       WHERE deposit_key = $depositKey`,
    ),
    release: database.prepare<null, [{ depositKey: string; released: number; nowMs: number }]>(
      `UPDATE vouchers SET hold = NULL, released = $released, updated_at = $nowMs
       WHERE deposit_key = $depositKey`,
    ),
  }
}

type AuditTable = Pick<VoucherFile, 'record' | 'isPaused' | 'isAdopted' | 'audit'>

function auditTable(database: Database): AuditTable {
  type Line = Omit<AuditRow, 'id'>
  const add = database.prepare<null, [Line]>(
    `INSERT INTO voucher_audit (at_ms, event, deposit_key, generation, digest, signer)
     VALUES ($atMs, $event, $depositKey, $generation, $digest, $signer)`,
  )
  const last = database.prepare<{ event: string }, []>(
    `SELECT event FROM voucher_audit WHERE event IN ('paused', 'resumed') ORDER BY id DESC LIMIT 1`,
  )
  const history = database.prepare<{ id: number }, [{ lostId: number }]>(
    `SELECT id FROM voucher_audit WHERE id > $lostId AND event IN ('issued', 'adopted') LIMIT 1`,
  )
  // A loss is noticed when a store is opened, and never later.
  const { lostId } = database
    .query<{ lostId: number }, []>(
      `SELECT coalesce(max(id), 0) AS lostId FROM voucher_audit WHERE event = 'lost'`,
    )
    .get() ?? { lostId: 0 }
  const lines = database.prepare<AuditRow, [{ rowsMax: number; depositKey: string | null }]>(
    `SELECT id, at_ms AS atMs, event, deposit_key AS depositKey, generation, digest, signer
     FROM voucher_audit WHERE $depositKey IS NULL OR deposit_key = $depositKey
     ORDER BY id DESC LIMIT $rowsMax`,
  )
  return {
    record: ({ atMs, event, row }) =>
      void add.run({
        atMs,
        event,
        depositKey: row?.depositKey ?? null,
        generation: row?.generation ?? null,
        digest: row?.digest ?? null,
        signer: row?.signer ?? null,
      }),
    // The record is the switch: who last turned it, and when, is never in doubt.
    isAdopted: () => history.get({ lostId }) !== null,
    isPaused: () => last.get()?.event === 'paused',
    audit: (rowsMax, depositKey) => lines.all({ rowsMax, depositKey: depositKey ?? null }),
  }
}
