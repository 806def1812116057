import { fromHex, toPrefixedHex } from '../hex.ts'
import { functionSelector, keccak256 } from './keccak.ts'

/** The function that transactions of the embedded swap world call. It exists in no real contract. */
export const DEMO_SELECTOR = functionSelector('prepdEmbeddedSwap(bytes32)')

/**
 * The transaction hash of the embedded swap world, which has no chain: the Keccak-256 of the calldata (0x and hex). A
 * caller computes it from a quote. The first query of its status sends the transaction.
 */
export function demoTransactionHash(data: string): string {
  return toPrefixedHex(keccak256(fromHex(data) ?? new Uint8Array()))
}
