/** An instance that signs vouchers, by the addresses of its keys in lower case. */
export type SigningPeer = {
  /** The address that it signs with. */
  readonly signer: string
  /** Every address whose vouchers it leaves as they are, its own among them. */
  readonly accepted: readonly string[]
}

/** The address to sign with, or the address of a peer with which no common one is left. */
export type SignerAgreement = { readonly signer: string } | { readonly conflict: string }

/** How long an instance counts as living after it was last seen, in milliseconds. */
export const SIGNER_KEPT_MS = 10_000

/**
 * Chooses the first of the own addresses that every peer accepts, so that no peer signs again what this instance signs.
 * A conflict where a peer signs with an address that is not among the own ones.
 */
export function agreeOnSigner(
  own: readonly string[],
  peers: readonly SigningPeer[],
): SignerAgreement {
  const foreign = peers.find(({ signer }) => !own.includes(signer))
  if (foreign) return { conflict: foreign.signer }
  const signer = own.find((address) => peers.every(({ accepted }) => accepted.includes(address)))
  return signer === undefined ? { conflict: peers[0]?.signer ?? '' } : { signer }
}
