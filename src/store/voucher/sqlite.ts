import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommitMark, NO_MARK, openMark } from '../connection/commit-mark.ts'
import { openVoucherDatabase } from '../connection/connection.ts'
import { lateStatements, type Statements } from '../connection/statements.ts'
import { attempt, watchTrouble } from '../connection/trouble.ts'
import {
  auditStatements,
  type Kept,
  keptOf,
  lineOf,
  type Redeemable,
  rowOf,
  voucherStatements,
} from './columns.ts'
import type { VoucherFile, VoucherTables } from './port.ts'

/**
 * Opens the vouchers in a store's file, or in memory for ':memory:'. Takes no lock: the operator's commands read and
 * pause beside a running server, and every decision is one exclusive transaction. Throws StoreNewerError; its calls
 * throw Failure `store_unavailable` where a row can be neither kept nor read: nothing has changed then.
 */
export function openVoucherStore(path: string): VoucherFile {
  const database = openVoucherDatabase(path)
  const mark = markOf(path)
  const lastId = noticeLoss(database, mark)
  const statements = lateStatements(() => database)
  const table = voucherTable(statements)
  const audit = auditTable(statements)
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

function voucherTable(database: Statements): Omit<VoucherTables, keyof AuditTable> {
  const own = voucherStatements('vouchers')
  const byKey = database.shared(own.byKey)
  const byTransaction = database.shared(own.byTransaction)
  const redeemable = database.prepare<Pick<Kept, 'amount'>, [Redeemable]>(
    `SELECT amount FROM vouchers WHERE destination_chain_id = $destinationChainId
     AND token = $token AND redeemable_until >= $since AND deposit_key <> $exceptKey`,
  )
  const put = database.shared(own.put)
  const putSignature = database.shared(own.putSignature)
  const hold = database.shared(own.hold)
  const release = database.shared(own.release)
  const count = database.shared(own.count)
  const list = database.shared(own.list)
  return {
    byKey: (depositKey) => byKey.all({ depositKey }).map(rowOf)[0] ?? null,
    byTransaction: (chainId, txHash) => byTransaction.all({ chainId, txHash }).map(rowOf),
    // SQLite adds 64 bits; these are 256.
    redeemableSince: ({ destinationChainId, token }, since, exceptKey = '') =>
      redeemable
        .all({ destinationChainId, token, since, exceptKey })
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    put: (row) => void put.run(keptOf(row)),
    putSignature: (depositKey, digest, signature, nowMs) =>
      void putSignature.run({ depositKey, digest, signature, nowMs }),
    hold: (depositKey, reason, nowMs) => void hold.run({ depositKey, reason, nowMs }),
    release: (depositKey, anew, nowMs) =>
      void release.run({ depositKey, released: Number(anew), nowMs }),
    count: () => count.get({}) ?? { rows: 0, held: 0 },
    list: (rowsMax) => list.all({ rowsMax }).map(rowOf),
  }
}

type AuditTable = Pick<VoucherTables, 'record' | 'isPaused' | 'isAdopted' | 'audit'>

function auditTable(database: Statements): AuditTable {
  const own = auditStatements('voucher_audit')
  const record = database.shared(own.record)
  const lastTurn = database.shared(own.lastTurn)
  const lines = database.shared(own.lines)
  const history = database.prepare<{ id: number }, [{ lostId: number }]>(
    `SELECT id FROM voucher_audit WHERE id > $lostId AND event IN ('issued', 'adopted') LIMIT 1`,
  )
  // A loss is noticed when a store is opened, and never later.
  const lost = database.prepare<{ lostId: number }, []>(
    `SELECT coalesce(max(id), 0) AS lostId FROM voucher_audit WHERE event = 'lost'`,
  )
  const { lostId } = lost.get() ?? { lostId: 0 }
  return {
    record: (entry) => void record.run(lineOf(entry)),
    isAdopted: () => history.get({ lostId }) !== null,
    isPaused: () => lastTurn.get({})?.event === 'paused',
    audit: (rowsMax, depositKey) => lines.all({ rowsMax, depositKey: depositKey ?? null }),
  }
}
