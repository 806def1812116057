import { ASSIGNED, COLUMNS, type Kept, keptOf, rowOf } from '../voucher/columns.ts'
import type { AuditRow, VoucherBooks, VoucherCounts, VoucherStore } from '../voucher/port.ts'
import type { Session, Statement } from './connection.ts'
import type { Fence } from './fence.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const BIG: ReadonlySet<string> = new Set(['depositId', 'blockNumber', 'sourceAmount', 'amount'])
const NUMBERS: ReadonlySet<string> = new Set([
  ...['sourceChainId', 'logIndex', 'txDeposits', 'destinationChainId', 'generation', 'validUntil'],
  ...['createdAtMs', 'updatedAtMs', 'redeemableUntil', 'payableUntil', 'released'],
])

const SELECTED = Object.entries(COLUMNS)
  .map(([column, member]) => `${column}${castOf(member)} AS "${member}"`)
  .join(', ')
const PLACES = Object.keys(COLUMNS)
  .map((_, at) => `$${at + 1}`)
  .join(', ')

/** The driver gives whole numbers as text, which those of 256 bits need and the others do not. */
function castOf(member: string): string {
  if (BIG.has(member)) return '::text'
  return NUMBERS.has(member) ? '::float8' : ''
}

function selecting(name: string, rest: string): Statement {
  return { name: `vouchers ${name}`, text: `SELECT ${SELECTED} FROM prepd_vouchers ${rest}` }
}

function changing(name: string, text: string): Statement {
  return { name: `vouchers ${name}`, text }
}

const BY_KEY = selecting('by key', 'WHERE deposit_key = $1')
const BY_TRANSACTION = selecting(
  'by transaction',
  'WHERE source_chain_id = $1 AND tx_hash = $2 ORDER BY log_index',
)
const LIST = selecting('list', 'ORDER BY created_at DESC, deposit_key LIMIT $1')
const REDEEMABLE = changing(
  'redeemable',
  `SELECT coalesce(sum(amount), 0)::text AS sum FROM prepd_vouchers
   WHERE destination_chain_id = $1 AND token = $2 AND redeemable_until >= $3 AND deposit_key <> $4`,
)
const COUNT = changing(
  'count',
  'SELECT count(*)::int AS rows, count(hold)::int AS held FROM prepd_vouchers',
)
const PUT = changing(
  'put',
  `INSERT INTO prepd_vouchers (${Object.keys(COLUMNS).join(', ')}) VALUES (${PLACES})
   ON CONFLICT (deposit_key) DO UPDATE SET ${ASSIGNED}`,
)
const PUT_SIGNATURE = changing(
  'putSignature',
  `UPDATE prepd_vouchers SET signature = $3, updated_at = $4
   WHERE deposit_key = $1 AND digest = $2 AND signature IS NULL`,
)
const HOLD = changing(
  'hold',
  'UPDATE prepd_vouchers SET hold = $2, released = 0, updated_at = $3 WHERE deposit_key = $1',
)
const RELEASE = changing(
  'release',
  'UPDATE prepd_vouchers SET hold = NULL, released = $2, updated_at = $3 WHERE deposit_key = $1',
)
const RECORD = changing(
  'record',
  `INSERT INTO prepd_voucher_audit (at_ms, event, deposit_key, generation, digest, signer)
   VALUES ($1, $2, $3, $4, $5, $6) RETURNING id::float8 AS id`,
)
const SWITCH = changing(
  'switch',
  `SELECT event FROM prepd_voucher_audit WHERE event IN ('paused', 'resumed')
   ORDER BY id DESC LIMIT 1`,
)
const HISTORY = changing(
  'history',
  `SELECT 1 WHERE 'adopted' = coalesce(
     (SELECT event FROM prepd_voucher_audit WHERE event IN ('adopted', 'lost')
      ORDER BY id DESC LIMIT 1),
     (SELECT 'adopted' FROM prepd_voucher_audit WHERE event = 'issued' LIMIT 1))`,
)
const AUDIT = changing(
  'audit',
  `SELECT id::float8 AS id, at_ms::float8 AS "atMs", event, deposit_key AS "depositKey",
     generation::float8 AS generation, digest, signer
   FROM prepd_voucher_audit WHERE $2::text IS NULL OR deposit_key = $2 ORDER BY id DESC LIMIT $1`,
)

/** Any number will do that nobody else takes. */
const LOCKS = 0x70726571
const ALONE = changing('alone', 'SELECT pg_advisory_xact_lock($1)')
const TOGETHER = changing('together', 'SELECT pg_advisory_xact_lock_shared($1)')
/** Always in the same order, so that no two wait for each other. */
const ABOUT = changing(
  'about',
  `SELECT pg_advisory_xact_lock(subject) FROM
     (SELECT DISTINCT hashtextextended(name, 0) AS subject FROM unnest($1::text[]) AS name
      ORDER BY 1 OFFSET 0) AS subjects`,
)

/** The vouchers of all instances. */
export function sharedVouchers(
  link: Pick<Link, 'using'>,
  { assertConfirmed, note }: Pick<Fence, 'assertConfirmed' | 'note'>,
): VoucherBooks & Pick<VoucherStore, 'atomically'> {
  const { ask, transact } = link.using('vouchers')
  const recorded = (id: number) => note({ vouchers: id })

  async function transacted<Value>(
    subjects: readonly string[],
    steps: (books: VoucherBooks) => Promise<Value>,
  ): Promise<Value> {
    assertConfirmed()
    const ids: number[] = []
    const value = await transact(async (session) => {
      await session.ask(subjects.length === 0 ? ALONE : TOGETHER, [LOCKS])
      if (subjects.length > 0) await session.ask(ABOUT, [subjects])
      return steps(booksOf(session.ask, (id) => void ids.push(id)))
    })
    // What is undone leaves no number.
    for (const id of ids) recorded(id)
    return value
  }

  return {
    ...booksOf((statement, values) => guarded(ask(statement, values)), recorded),
    atomically: (subjects, steps) => guarded(transacted(subjects, steps)),
  }
}

function booksOf(ask: Session['ask'], recorded: (id: number) => void): VoucherBooks {
  const selected = async (statement: Statement, values: (string | number)[]) =>
    (await ask<Kept>(statement, values)).rows.map(rowOf)
  return {
    byKey: async (depositKey) => (await selected(BY_KEY, [depositKey]))[0] ?? null,
    byTransaction: (chainId, txHash) => selected(BY_TRANSACTION, [chainId, txHash]),
    redeemableSince: async ({ destinationChainId, token }, sinceSeconds, exceptKey = '') => {
      const values = [destinationChainId, token, sinceSeconds, exceptKey]
      const { rows } = await ask<{ sum: string }>(REDEEMABLE, values)
      return BigInt(rows[0]?.sum ?? 0)
    },
    put: async (row) => {
      const kept = keptOf(row)
      await ask(
        PUT,
        Object.values(COLUMNS).map((member) => kept[member]),
      )
    },
    putSignature: async (...given) => void (await ask(PUT_SIGNATURE, given)),
    hold: async (...given) => void (await ask(HOLD, given)),
    release: async (depositKey, anew, nowMs) =>
      void (await ask(RELEASE, [depositKey, Number(anew), nowMs])),
    count: async () => (await ask<VoucherCounts>(COUNT)).rows[0] ?? { rows: 0, held: 0 },
    list: (rowsMax) => selected(LIST, [rowsMax]),
    record: async ({ atMs, event, row }) => {
      const { depositKey = null, generation = null, digest = null, signer = null } = row ?? {}
      const values = [atMs, event, depositKey, generation, digest, signer]
      const { rows } = await ask<{ id: number }>(RECORD, values)
      for (const { id } of rows) recorded(id)
    },
    isPaused: async () => (await ask<{ event: string }>(SWITCH)).rows[0]?.event === 'paused',
    isAdopted: async () => (await ask(HISTORY)).count > 0,
    audit: async (rowsMax, depositKey) =>
      (await ask<AuditRow>(AUDIT, [rowsMax, depositKey ?? null])).rows,
  }
}
