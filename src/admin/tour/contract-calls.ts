import { fromHex, toHex } from '../../core/hex.ts'
import { selectorOf } from '../../crypto/keccak.ts'

/** An address or hash (0x and hex), or an unsigned number. */
export type Word = string | bigint

/** A voucher as the route answers it, in the order in which it is signed. */
export type VoucherWords = readonly [
  sourceChainId: bigint,
  sourceVault: string,
  depositId: bigint,
  recipient: string,
  token: string,
  amount: bigint,
  validUntil: bigint,
]

/** The functions that the tour calls, as the ABI spells them (Solidity, "Contract ABI Specification"). */
const SIGNATURES = {
  balanceOf: 'balanceOf(address)',
  mint: 'mint(address,uint256)',
  approve: 'approve(address,uint256)',
  deposit: 'deposit(address,uint256,address,uint256)',
  redeem: 'redeem((uint256,address,uint256,address,address,uint256,uint256),bytes)',
} as const

type Plain = Exclude<keyof typeof SIGNATURES, 'redeem'>

/** The calldata of a function whose arguments are one word each. Throws RangeError when one does not fit. */
export function callOf(name: Plain, words: readonly Word[]): string {
  return selectorOf(SIGNATURES[name]) + words.map(wordOf).join('')
}

/** The calldata of `redeem`: the voucher in place, then where the signature stands, then its length and bytes. */
export function redeemCall(voucher: VoucherWords, signature: string): string {
  const bytes = fromHex(signature)
  if (!bytes) throw new RangeError('the signature is not hex')
  const offset = BigInt((voucher.length + 1) * WORD_BYTES)
  const padded = toHex(bytes).padEnd(Math.ceil(bytes.length / WORD_BYTES) * WORD_DIGITS, '0')
  const head = [...voucher, offset, BigInt(bytes.length)].map(wordOf).join('')
  return selectorOf(SIGNATURES.redeem) + head + padded
}

const WORD_BYTES = 32
const WORD_DIGITS = 2 * WORD_BYTES

function wordOf(word: Word): string {
  const digits = typeof word === 'bigint' ? word.toString(16) : word.replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{1,64}$/.test(digits)) throw new RangeError('an argument is no word')
  return digits.toLowerCase().padStart(WORD_DIGITS, '0')
}
