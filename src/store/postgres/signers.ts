import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'
import { statement } from '../statement.ts'
import type { VoucherStore } from '../voucher/port.ts'
import { agreeOnSigner, SIGNER_KEPT_MS, type SigningPeer } from '../voucher/signers.ts'
import type { Session } from './connection.ts'
import type { Queries } from './queries.ts'

/** Two instances never choose at once. */
const LOCK = statement('LOCK TABLE prepd_voucher_signers IN EXCLUSIVE MODE')
const FORGET = statement(
  `DELETE FROM prepd_voucher_signers
    WHERE seen_at <= clock_timestamp() - ${SIGNER_KEPT_MS} * interval '1 millisecond'`,
)
const PEERS = statement<SigningPeer, { instance: string }>(
  'SELECT signer, accepted FROM prepd_voucher_signers WHERE instance <> $instance',
)
const LIVING = statement<SigningPeer>(
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

/** The instances that sign vouchers of one database, by the clock of the engine. */
export function signerTable(
  { rows, change, transact }: Queries,
  random: Random,
): Pick<VoucherStore, 'registerSigner' | 'signingPeers' | 'leaveSigners'> {
  const instance = toHex(random.bytes(INSTANCE_BYTES))

  async function register({ ask }: Session, own: readonly string[]) {
    await ask(LOCK, {})
    await ask(FORGET, {})
    const agreement = agreeOnSigner(own, (await ask(PEERS, { instance })).rows)
    if ('signer' in agreement)
      await ask(REGISTER, { instance, signer: agreement.signer, accepted: own })
    return agreement
  }

  return {
    registerSigner: (own) => transact((session) => register(session, own)),
    signingPeers: () => rows(LIVING, {}),
    leaveSigners: async () => void (await change(LEAVE, { instance })),
  }
}
