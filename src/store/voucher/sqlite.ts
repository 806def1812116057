import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommitMark, NO_MARK, openMark } from '../connection/commit-mark.ts'
import { openVoucherDatabase } from '../connection/connection.ts'
import { type Statement, statement, type Values } from '../connection/statement.ts'
import { attempt, watchTrouble } from '../connection/trouble.ts'
import { voucherBooks } from './books.ts'
import type { VoucherBooks, VoucherStore } from './port.ts'
import { agreeOnSigner } from './signers.ts'

/**
 * Opens the vouchers in a store's file, or in memory for ':memory:', on a disk that has them before any call is
 * answered: a power cut loses nothing that was answered. Takes no lock: the operator's commands read and pause beside a
 * running server, and every decision is one exclusive transaction. Throws StoreNewerError.
 */
export function openVoucherStore(path: string): VoucherStore {
  const database = openVoucherDatabase(path)
  const mark = markOf(path)
  const { lastId, lostId } = noticeLoss(database, mark)
  const { guard } = watchTrouble()
  const booksOn = voucherBooks('', {
    // SQLite adds 64 bits; these are 256.
    redeemable: statement(
      `SELECT amount FROM vouchers WHERE destination_chain_id = $destinationChainId
       AND token = $token AND redeemable_until >= $since AND deposit_key <> $exceptKey`,
    ),
    // A loss is noticed when a store is opened, and never later.
    adopted: statement(
      `SELECT id FROM voucher_audit WHERE id > ${lostId} AND event IN ('issued', 'adopted') LIMIT 1`,
    ),
  })
  const rows = async <Row extends object>({ text }: Statement<Row, Values>, values: Values) =>
    guard(() => database.query<Row, [Values]>(text).all(values))
  const books = booksOn(rows)
  let last: Promise<unknown> = Promise.resolve()

  /** The one connection does one thing after the other: a transaction is one thing. */
  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = last.then(work)
    // A call that failed rejects for its caller; the next one begins all the same.
    last = Promise.allSettled([turn])
    return turn
  }

  async function transact<Value>(steps: (books: VoucherBooks) => Promise<Value>): Promise<Value> {
    guard(() => database.run('BEGIN IMMEDIATE'))
    try {
      const value = await steps(books)
      guard(() => database.run('COMMIT'))
      // What is committed stays so, whatever becomes of its mark.
      attempt(guard, () => mark.writeVouchers(lastId()))
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
    atomically: (_, steps) => inTurn(() => transact(steps)),
    // The directory belongs to one process.
    registerSigner: async (own) => agreeOnSigner(own, []),
    signingPeers: async () => [],
    leaveSigners: async () => undefined,
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
 * until it is adopted. Answers how to read the number of the last line, and the number of the last loss.
 */
function noticeLoss(database: Database, mark: CommitMark) {
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
  const lost = database.prepare<{ id: number }, []>(
    `SELECT coalesce(max(id), 0) AS id FROM voucher_audit WHERE event = 'lost'`,
  )
  return { lastId, lostId: lost.get()?.id ?? 0 }
}
