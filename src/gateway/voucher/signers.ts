import { keccak256 } from '../../core/crypto/keccak.ts'
import { signDigest, toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { Failure } from '../../core/failure.ts'
import { expected } from '../../core/loop/guarded.ts'
import type { Log } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'
import { SIGNER_KEPT_MS, type SignerAgreement } from '../../store/voucher/signers.ts'

/** The keys of this instance, of which one signs at a time: the first that every living instance accepts. */
export type VoucherSigners = {
  /**
   * The signer of new vouchers; null while a living instance signs with a foreign key. Throws Failure
   * `store_unavailable`.
   */
  readonly current: () => Promise<VoucherSigner | null>
  /** The signer of an address; null where the key is not among those of this instance. */
  readonly find: (address: string) => VoucherSigner | null
  /** Registers this instance again as one that signs. Where the store is away, the next request does. */
  readonly renew: () => Promise<void>
  /** The own address and that of a living instance, where both would sign in turn; null where all agree or the store is away. */
  readonly conflict: () => Promise<{ readonly own: string; readonly peer: string } | null>
  /** Whether a living instance signed with a foreign key when the store was last asked. */
  readonly hadConflict: () => boolean
}

type SignersOptions = {
  /** The one in use first, then the one it takes over from. */
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

  /** The last agreement while other instances still rely on it, else a new one. */
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

/**
 * Null where the store did not answer. Any other error is thrown, because it is then unknown whether another key signs.
 */
function nullIfAway(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

function logAgreement(log: Log, own: readonly string[], agreement: SignerAgreement): void {
  if ('signer' in agreement) log.info('voucher_signer', { signer: agreement.signer })
  else log.error('voucher_signer_conflict', { own: own.join(','), peer: agreement.conflict })
}

/** A signer of vouchers: a key in this process, or a machine that keeps one. */
export type VoucherSigner = {
  /** In lower case. */
  readonly address: string
  /**
   * Signs the Keccak-256 of a message as wallets do: `0x` and r, s, v, low s, v 27 or 28. Throws Failure `not_available`
   * when the machine with the key is away.
   */
  readonly sign: (message: Uint8Array) => Promise<string>
}

/**
 * A signer whose key is in this process. It signs once at the start to warm the curve's tables, which takes some 30 ms.
 * Throws RangeError, without the key, when the 32 bytes are not a secp256k1 secret.
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
    expected('process', error, Error)
    // The library's message may describe the bytes.
    throw new RangeError('the voucher key is no secp256k1 secret')
  }
}
