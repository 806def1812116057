import type { Clock } from '../../core/ports.ts'
import { readCaps } from './figures.ts'
import type { RemoteSigner } from './remote-signer.ts'
import type { VoucherService } from './service.ts'

export type VoucherWatch = ReturnType<typeof createVoucherWatch>

/** Creates the watch that looks at remote signers and caps every few seconds, with or without requests. */
export function createVoucherWatch(
  service: VoucherService,
  remote: readonly RemoteSigner[],
  clock: Clock,
) {
  let capUsed: number | null = null
  const away = () => remote.find((signer) => signer.fault() !== null)
  return {
    /** Throws Failure `store_unavailable`. */
    look: async (): Promise<void> => {
      await Promise.all(remote.map((signer) => signer.check()))
      const shares = (await readCaps(service, clock)).map(
        ({ cap, used }) => Number(used) / Number(cap),
      )
      capUsed = shares.length === 0 ? null : Math.max(...shares)
    },
    /** Whether every remote signer signed when it was last asked; null without remote signers. */
    signersUp: () => (remote.length === 0 ? null : away() === undefined),
    /** Why a remote signer does not sign, in our own words; null where all is well. */
    signerTrouble: (): string | null => {
      const signer = away()
      if (!signer) return null
      return `The signer of ${signer.address} does not sign vouchers (${signer.fault()}): voucher_signer_away in the log.`
    },
    /** How much of the cap that is nearest is in use, 0 to 1 and above; null before the first look. */
    capUsed: () => capUsed,
  }
}
