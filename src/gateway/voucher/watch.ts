import type { Clock } from '../../core/ports.ts'
import { type CappedService, readCaps } from './figures.ts'
import type { RemoteSigner } from './remote-signer.ts'

export type VoucherWatch = ReturnType<typeof createVoucherWatch>

/** Creates the watch of remote signers and caps. `look` is called every few seconds. */
export function createVoucherWatch(
  service: CappedService,
  remote: readonly RemoteSigner[],
  clock: Clock,
) {
  let capUsed: number | null = null
  const away = () => remote.find((signer) => signer.fault() !== null)
  return {
    /** Checks all remote signers and caps. Throws Failure `store_unavailable`. */
    look: async (): Promise<void> => {
      await Promise.all(remote.map((signer) => signer.check()))
      const known = (await readCaps(service, clock)).filter(({ isLost }) => !isLost)
      const shares = known.map(({ cap, used }) => Number(used) / Number(cap))
      capUsed = shares.length === 0 ? null : Math.max(...shares)
    },
    /** Whether every remote signer signed at its last check; null without remote signers. */
    signersUp: () => (remote.length === 0 ? null : away() === undefined),
    /** Why a remote signer does not sign, in this service's words; null if all sign. */
    signerTrouble: (): string | null => {
      const signer = away()
      if (!signer) return null
      return `The signer of ${signer.address} does not sign vouchers (${signer.fault()}): voucher_signer_away in the log.`
    },
    /**
     * The highest used share of a cap (1: fully used, can be exceeded); null before the first call of `look` or without
     * caps. Caps that lost vouchers may use are left out.
     */
    capUsed: () => capUsed,
  }
}
