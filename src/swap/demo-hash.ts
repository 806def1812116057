import { fromHex, toHex } from '../core/hex.ts'
import { keccak256 } from '../crypto/keccak.ts'

const SELECTOR_CHARS = 8

/** The function that transactions of the embedded swap world call, eight hex characters; no contract has it. */
export const DEMO_SELECTOR = toHex(keccak256(Buffer.from('prepdEmbeddedSwap(bytes32)'))).slice(
  0,
  SELECTOR_CHARS,
)

/**
 * The transaction hash of the embedded swap world, which has no chain: the Keccak-256 of the calldata (0x and hex).
 * Whoever has a quote can compute it, and asking for its status for the first time is what sends the transaction.
 */
export function demoTransactionHash(data: string): string {
  return `0x${toHex(keccak256(fromHex(data) ?? new Uint8Array()))}`
}
