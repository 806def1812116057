import { keccak256 } from '../../core/crypto/keccak.ts'
import { signDigest, toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { Failure } from '../../core/failure.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Log } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'
import { SIGNER_KEPT_MS, type SignerAgreement } from '../../store/voucher/signers.ts'

/** The keys of this instance. New vouchers are signed with the first key that every living instance accepts. */
export type VoucherSigners = {
  /**
   * The signer of new vouchers; null while a living instance signs with a foreign key. Throws Failure
   * `store_unavailable`.
   */
  readonly current: () => Promise<VoucherSigner | null>
  /** The signer of an address; null if this instance does not have the key. */
  readonly find: (address: string) => VoucherSigner | null
  /** Renews this instance's registration as a signer. Does nothing if the store is unreachable. */
  readonly renew: () => Promise<void>
  /**
   * A signer of this instance and a signer of a living peer, if the two instances share no signer; null without a
   * conflict or if the store is unreachable.
   */
  readonly conflict: () => Promise<{ readonly own: string; readonly peer: string } | null>
  /** Whether the last registration found a conflict. */
  readonly hadConflict: () => boolean
}

type SignersOptions = {
  /** The current key first, then its predecessor. */
  readonly keys: readonly VoucherSigner[]
  readonly store: Pick<VoucherStore, 'registerSigner'>
  readonly monotonicMs: () => number
  readonly log: Log
}

export function createSigners({ keys, store, monotonicMs, log }: SignersOptions): VoucherSigners {
  const addresses = keys.map(({ address }) => address)
  const find = (address: string) => keys.find((key) => key.address === address) ?? null
  let last: SignerAgreement | null = null
  let registeredMs = Number.NEGATIVE_INFINITY

  async function register(): Promise<SignerAgreement> {
    const startedMs = monotonicMs()
    const agreement = await store.registerSigner(addresses)
    const isNew = JSON.stringify(agreement) !== JSON.stringify(last)
    last = agreement
    registeredMs = startedMs
    if (isNew) logAgreement(log, addresses, agreement)
    return agreement
  }

  /** The last agreement while this instance's registration is valid, otherwise a new agreement. */
  async function ensureAgreement(): Promise<SignerAgreement> {
    const isFresh = monotonicMs() - registeredMs < SIGNER_KEPT_MS
    return last && isFresh ? last : register()
  }

  return {
    find,
    current: async () => {
      const agreement = await ensureAgreement()
      return 'signer' in agreement ? find(agreement.signer) : null
    },
    renew: async () => void (await register().catch(nullIfAway)),
    conflict: async () => {
      const agreement = await register().catch(nullIfAway)
      if (!agreement || 'signer' in agreement) return null
      return { own: addresses[0] ?? '', peer: agreement.conflict }
    },
    hadConflict: () => last !== null && 'conflict' in last,
  }
}

/** A rejection handler: null if the store did not answer; rethrows any other error. */
function nullIfAway(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

function logAgreement(log: Log, own: readonly string[], agreement: SignerAgreement): void {
  if ('signer' in agreement) log.info('voucher_signer', { signer: agreement.signer })
  else log.error('voucher_signer_conflict', { own: own.join(','), peer: agreement.conflict })
}

/** A signer of vouchers: a key in this process or on a different machine. */
export type VoucherSigner = {
  /** The address, in lower case. */
  readonly address: string
  /**
   * Signs the Keccak-256 of a message: `0x` and r, s, v as hex, with low s, and v 27 or 28. Throws Failure
   * `not_available` if a remote signer does not answer.
   */
  readonly sign: (message: Uint8Array) => Promise<string>
}

/**
 * A signer with a key in this process. Signs once at creation to fill the curve's tables, which takes about 30 ms.
 * Throws RangeError, without the key in its text, unless the 32 bytes are a secp256k1 secret.
 */
export function voucherSigner(secret: Uint8Array): VoucherSigner {
  const address = signerAddress(secret)
  signDigest(keccak256(new Uint8Array()), secret)
  return { address, sign: async (message) => signDigest(keccak256(message), secret) }
}

function signerAddress(secret: Uint8Array): string {
  try {
    return toWalletAddress(secret)
  } catch (error) {
    reportUnexpected('process', error, Error)
    // The library's error is replaced, because its message may describe the bytes.
    throw new RangeError('the voucher key is no secp256k1 secret')
  }
}
