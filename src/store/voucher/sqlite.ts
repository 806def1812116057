import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommitMark, NO_MARK, openMark } from '../connection/commit-mark.ts'
import { openVoucherDatabase } from '../connection/connection.ts'
import { attemptOptional, watchTrouble } from '../connection/errors.ts'
import { type Statement, type StatementValues, statement } from '../connection/statement.ts'
import { voucherBooks } from './books.ts'
import type { VoucherBooks, VoucherStore } from './port.ts'
import { agreeOnSigner } from './signers.ts'

/**
 * Opens the vouchers in a store's file, or in memory for ':memory:'. Every answered call is on disk and survives a
 * power cut. It takes no lock: operator commands read and pause while a server runs, and every decision is one
 * exclusive transaction. A server passes `awaitDisk` of its store: after a failed sync of the shared log, only the store
 * knows that a later sync proves nothing. Throws StoreNewerError.
 */
export function openVoucherStore(
  path: string,
  awaitDisk: () => Promise<void> = async () => undefined,
): VoucherStore {
  const database = openVoucherDatabase(path)
  const mark = openServerMark(path)
  const { lastId, lostId } = recordVoucherLoss(database, mark)
  const { guard } = watchTrouble()
  const booksOn = voucherBooks('', {
    // SQLite's sum has 64 bits; these amounts have 256.
    redeemable: statement(
      `SELECT amount FROM vouchers WHERE destination_chain_id = $destinationChainId
       AND token = $token AND redeemable_until >= $since AND deposit_key <> $exceptKey`,
    ),
    // Losses are detected only when a store is opened.
    adopted: statement(
      `SELECT id FROM voucher_audit WHERE id > ${lostId} AND event IN ('issued', 'adopted') LIMIT 1`,
    ),
    lostId: String(lostId),
  })
  const rows = async <Row extends object>(
    { text }: Statement<Row, StatementValues>,
    values: StatementValues,
  ) => guard(() => database.query<Row, [StatementValues]>(text).all(values))
  const books = booksOn(rows)
  const inTurn = createTurns()

  async function transact<Value>(steps: (books: VoucherBooks) => Promise<Value>): Promise<Value> {
    guard(() => database.run('BEGIN IMMEDIATE'))
    try {
      const value = await steps(books)
      guard(() => database.run('COMMIT'))
      // Waits even without a change, because the row of an earlier request may be signed next.
      await awaitDisk()
      // The commit stands even if writing its mark fails.
      attemptOptional(guard, () => mark.writeVouchers(lastId()))
      return value
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (database.inTransaction) database.run('ROLLBACK')
      throw error
    }
  }

  return {
    ...booksOn((asked, values) => inTurn(() => rows(asked, values))),
    record: (entry) => inTurn(() => transact(({ record }) => record(entry))),
    atomically: (steps) => inTurn(() => transact(steps)),
    // Only one process has the directory.
    registerSigner: async (own) => agreeOnSigner(own, []),
    signingPeers: async () => [],
    leaveSigners: async () => undefined,
    close: () => {
      mark.close()
      database.close()
    },
  }
}

/** The single connection runs tasks one after the other; a transaction is one task. */
function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    // A failed call rejects for its caller only; the next one still starts.
    last = Promise.allSettled([turn])
    return turn
  }
}

/** The server's marks next to the store, if they exist. */
function openServerMark(path: string): CommitMark {
  const beside = join(dirname(path), 'prepd.mark')
  return path !== ':memory:' && existsSync(beside) ? openMark(beside) : NO_MARK
}

/**
 * Records a loss if the file has fewer audit rows than its mark, for example because it is an older copy. Signing then
 * stops until the operator adopts the store. Returns functions that read the number of the last row and of the last
 * loss.
 */
function recordVoucherLoss(database: Database, mark: CommitMark) {
  const last = database.prepare<{ id: number }, []>(
    'SELECT coalesce(max(id), 0) AS id FROM voucher_audit',
  )
  const lose = database.prepare<null, [number]>(
    `INSERT INTO voucher_audit (id, at_ms, event)
     VALUES (?, CAST(unixepoch('subsec') * 1000 AS INTEGER), 'lost')`,
  )
  const lastId = () => last.get()?.id ?? 0
  // Reads the mark first: a concurrent server marks only what it has committed.
  const { vouchers } = mark.read()
  const record = database.transaction(() => {
    if (lastId() < vouchers) lose.run(vouchers + 1)
  })
  if (lastId() < vouchers) record.immediate()
  if (lastId() > vouchers) mark.writeVouchers(lastId())
  const lost = database.prepare<{ id: number }, []>(
    `SELECT coalesce(max(id), 0) AS id FROM voucher_audit WHERE event = 'lost'`,
  )
  return { lastId, lostId: lost.get()?.id ?? 0 }
}
