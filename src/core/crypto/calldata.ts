import { fromHex, toHex } from '../hex.ts'
import { functionSelector } from './keccak.ts'

/** An address or hash (0x and hex), or an unsigned number. */
export type CalldataValue = string | bigint

const WORD_BYTES = 32
const WORD_DIGITS = 2 * WORD_BYTES

/**
 * The calldata (0x and hex) of a function whose arguments are one word each (Solidity, "Contract ABI Specification").
 * Throws RangeError for an argument that does not fit.
 */
export function toCalldata(signature: string, words: readonly CalldataValue[]): string {
  return functionSelector(signature) + words.map(wordDigits).join('')
}

/**
 * The calldata of a function whose last argument is bytes: the words, the offset of the bytes, their length, the bytes.
 */
export function callWithBytes(
  signature: string,
  words: readonly CalldataValue[],
  hex: string,
): string {
  const bytes = fromHex(hex)
  if (!bytes) throw new RangeError('an argument is not hex')
  const offset = BigInt((words.length + 1) * WORD_BYTES)
  const padded = toHex(bytes).padEnd(Math.ceil(bytes.length / WORD_BYTES) * WORD_DIGITS, '0')
  return toCalldata(signature, [...words, offset, BigInt(bytes.length)]) + padded
}

function wordDigits(word: CalldataValue): string {
  const digits = typeof word === 'bigint' ? word.toString(16) : word.replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{1,64}$/.test(digits)) throw new RangeError('an argument is no word')
  return digits.toLowerCase().padStart(WORD_DIGITS, '0')
}
