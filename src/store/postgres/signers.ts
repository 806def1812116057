import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'
import type { VoucherStore } from '../voucher/port.ts'
import { agreeOnSigner, SIGNER_KEPT_MS, type SigningPeer } from '../voucher/signers.ts'
import type { Session, Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

/** Two instances never choose at once. */
const LOCK: Statement = {
  name: 'lock signers',
  text: 'LOCK TABLE prepd_voucher_signers IN EXCLUSIVE MODE',
}
const FORGET: Statement = {
  name: 'forget signers',
  text: `DELETE FROM prepd_voucher_signers
    WHERE seen_at <= clock_timestamp() - ${SIGNER_KEPT_MS} * interval '1 millisecond'`,
}
const PEERS: Statement = {
  name: 'peers that sign',
  text: 'SELECT signer, accepted FROM prepd_voucher_signers WHERE instance <> $1',
}
const LIVING: Statement = {
  name: 'living signers',
  text: `SELECT signer, accepted FROM prepd_voucher_signers
    WHERE seen_at > clock_timestamp() - ${SIGNER_KEPT_MS} * interval '1 millisecond'`,
}
const REGISTER: Statement = {
  name: 'register signer',
  text: `INSERT INTO prepd_voucher_signers (instance, signer, accepted, seen_at)
    VALUES ($1, $2, $3, clock_timestamp())
    ON CONFLICT (instance) DO UPDATE SET
      signer = excluded.signer, accepted = excluded.accepted, seen_at = excluded.seen_at`,
}
const LEAVE: Statement = {
  name: 'leave signers',
  text: 'DELETE FROM prepd_voucher_signers WHERE instance = $1',
}

const INSTANCE_BYTES = 12

/** The instances that sign vouchers of one database, by the clock of the engine. */
export function signerTable(
  { ask, transact }: Pick<Link, 'ask' | 'transact'>,
  random: Random,
): Pick<VoucherStore, 'registerSigner' | 'signingPeers' | 'leaveSigners'> {
  const instance = toHex(random.bytes(INSTANCE_BYTES))

  async function register(session: Session, own: readonly string[]) {
    await session.ask(LOCK)
    await session.ask(FORGET)
    const { rows } = await session.ask<SigningPeer>(PEERS, [instance])
    const agreement = agreeOnSigner(own, rows)
    if ('signer' in agreement) await session.ask(REGISTER, [instance, agreement.signer, own])
    return agreement
  }

  return {
    registerSigner: (own) => guarded(transact((session) => register(session, own))),
    signingPeers: async () => (await guarded(ask<SigningPeer>(LIVING))).rows,
    leaveSigners: async () => void (await guarded(ask(LEAVE, [instance]))),
  }
}
