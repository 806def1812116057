import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'
import { statement } from '../../store/connection/statement.ts'
import { voucherBooks } from '../../store/voucher/books.ts'
import type { VoucherBooks, VoucherStore } from '../../store/voucher/port.ts'
import { agreeOnSigner, SIGNER_KEPT_MS, type SigningPeer } from '../../store/voucher/signers.ts'
import type { Session } from './connection.ts'
import { awaitPostgres } from './errors.ts'
import type { Fence } from './fence.ts'
import { guardedQueries, type Link, type Queries } from './primary-queries.ts'

const voucherBooksOn = voucherBooks('prepd_', {
  redeemable: statement(
    `SELECT coalesce(sum(amount), 0) AS amount FROM prepd_vouchers
     WHERE destination_chain_id = $destinationChainId AND token = $token
       AND redeemable_until >= $since AND deposit_key <> $exceptKey`,
  ),
  adopted: statement(
    `SELECT 1 WHERE 'adopted' = coalesce(
       (SELECT event FROM prepd_voucher_audit WHERE event IN ('adopted', 'lost')
        ORDER BY id DESC LIMIT 1),
       (SELECT 'adopted' FROM prepd_voucher_audit WHERE event = 'issued' LIMIT 1))`,
  ),
  lostId: `(SELECT max(id) FROM prepd_voucher_audit WHERE event = 'lost')`,
})

/** The key of an advisory lock: an arbitrary number that other programs on this database are unlikely to use. */
const LOCK = 0x70726571
/**
 * Transactions run one after the other, so that they commit in the order of their audit numbers. With parallel commits,
 * a standby could have a number and lack a lower one.
 */
const LOCK_EXCLUSIVE = statement<object, { lock: number }>('SELECT pg_advisory_xact_lock($lock)')

const LAST = statement<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM prepd_voucher_audit')

/** The vouchers of all instances. */
export function sharedVouchers(
  link: Pick<Link, 'using'>,
  { assertConfirmed, note, settle }: Pick<Fence, 'assertConfirmed' | 'note' | 'settle'>,
): VoucherBooks & Pick<VoucherStore, 'atomically'> {
  const { rows, transact } = guardedQueries(link.using('vouchers'))

  async function transacted<Value>(
    steps: (books: VoucherBooks) => Promise<Value>,
    isSigned: (value: Value) => boolean = () => true,
  ): Promise<Value> {
    assertConfirmed()
    const { value, last, hasRecorded } = await transact(async (session) => {
      await session.ask(LOCK_EXCLUSIVE, { lock: LOCK })
      const rows: Queries['rows'] = async (...asked) => (await session.ask(...asked)).rows
      const recorded: number[] = []
      const value = await steps(voucherBooksOn(rows, (id) => recorded.push(id)))
      const [last] = (await session.ask(LAST, {})).rows
      return { value, last: last?.id ?? 0, hasRecorded: recorded.length > 0 }
    })
    if (!hasRecorded && !isSigned(value)) return value
    // Called only after the commit, because a rolled-back transaction leaves no row.
    note({ vouchers: last })
    // Waits until the registry knows every voucher, also the vouchers of instances that have ended. Without the wait, a
    // successor of this database could sign more than the cap allows.
    if (last > 0) await settle()
    return value
  }

  return {
    ...voucherBooksOn(rows),
    record: (entry) => awaitPostgres(transacted((books) => books.record(entry))),
    atomically: (steps, isSigned) => awaitPostgres(transacted(steps, isSigned)),
  }
}

/** Instances choose their signer one at a time. */
const LOCK_SIGNERS = statement('LOCK TABLE prepd_voucher_signers IN EXCLUSIVE MODE')
const FORGET_SIGNERS = statement(
  `DELETE FROM prepd_voucher_signers
    WHERE seen_at <= clock_timestamp() - ${SIGNER_KEPT_MS} * interval '1 millisecond'`,
)
const PEERS = statement<SigningPeer, { instance: string }>(
  'SELECT signer, accepted FROM prepd_voucher_signers WHERE instance <> $instance',
)
const LIVE_SIGNERS = statement<SigningPeer>(
  `SELECT signer, accepted FROM prepd_voucher_signers
    WHERE seen_at > clock_timestamp() - ${SIGNER_KEPT_MS} * interval '1 millisecond'`,
)
const REGISTER = statement<object, SigningPeer & { instance: string }>(
  `INSERT INTO prepd_voucher_signers (instance, signer, accepted, seen_at)
    VALUES ($instance, $signer, $accepted, clock_timestamp())
    ON CONFLICT (instance) DO UPDATE SET
      signer = excluded.signer, accepted = excluded.accepted, seen_at = excluded.seen_at`,
)
const LEAVE = statement<object, { instance: string }>(
  'DELETE FROM prepd_voucher_signers WHERE instance = $instance',
)

const INSTANCE_BYTES = 12

/** The instances that sign vouchers of one database. Times come from PostgreSQL's clock. */
export function signerTable(
  { rows, change, transact }: Queries,
  random: Random,
): Pick<VoucherStore, 'registerSigner' | 'signingPeers' | 'leaveSigners'> {
  const instance = toHex(random.bytes(INSTANCE_BYTES))

  async function register({ ask }: Session, own: readonly string[]) {
    await ask(LOCK_SIGNERS, {})
    await ask(FORGET_SIGNERS, {})
    const agreement = agreeOnSigner(own, (await ask(PEERS, { instance })).rows)
    if ('signer' in agreement)
      await ask(REGISTER, { instance, signer: agreement.signer, accepted: own })
    return agreement
  }

  return {
    registerSigner: (own) => transact((session) => register(session, own)),
    signingPeers: () => rows(LIVE_SIGNERS, {}),
    leaveSigners: async () => void (await change(LEAVE, { instance })),
  }
}
