/** An instance that signs vouchers, by the addresses of its keys in lower case. */
export type SigningPeer = {
  /** The address of the key with which the instance signs. */
  readonly signer: string
  /** All signers whose vouchers the instance accepts, including its own address. */
  readonly accepted: readonly string[]
}

/** The address to sign with, or the address of a peer with which no common address was found. */
export type SignerAgreement = { readonly signer: string } | { readonly conflict: string }

/** How long an instance counts as alive after its last registration, in milliseconds. */
export const SIGNER_KEPT_MS = 10_000

/**
 * Chooses the first own address that every peer accepts, so that peers do not reissue this instance's vouchers. Returns
 * a conflict if a peer signs with an address that is not an own address.
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
