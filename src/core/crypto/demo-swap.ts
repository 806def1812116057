import { fromHex, toPrefixedHex } from '../hex.ts'
import { functionSelector, keccak256 } from './keccak.ts'

/** The function selector in transactions of the embedded swap world. No real contract has this function. */
export const DEMO_SELECTOR = functionSelector('prepdEmbeddedSwap(bytes32)')

/**
 * The transaction hash in the embedded swap world, which has no chain: the Keccak-256 of the calldata (0x and hex). A
 * caller computes the hash from a quote. The first status query for a hash counts as sending the transaction.
 */
export function demoTransactionHash(data: string): string {
  return toPrefixedHex(keccak256(fromHex(data) ?? new Uint8Array()))
}
