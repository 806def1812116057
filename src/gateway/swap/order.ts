import type { ReasonOf } from '../../contract/failures.ts'
import { SWAP_LIMITS, SWAP_PREFERENCES, type SwapPreference } from '../../contract/swap.ts'
import { isEip55 } from '../../core/crypto/checksum.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { isAddress } from '../../core/hex.ts'
import { optionalValue, type Query, requiredValue } from '../../core/query.ts'
import { NATIVE_ADDRESS, type SwapOrder } from './provider.ts'

/** The exclusive maximum of an amount on a chain. */
export const UINT256_LIMIT = 1n << 256n

/**
 * Parses a request for a quote. Addresses become lower case, and both addresses of the native coin become the zero
 * address. Does not check whether the chains are served. Throws Failure naming the parameter: invalid_request or
 * invalid_address.
 */
export function readSwapOrder(query: Query): SwapOrder {
  const fromChainId = readChain(query, 'fromChain')
  const toChainId = readChain(query, 'toChain')
  const fromToken = readToken(query, 'fromToken')
  const toToken = readToken(query, 'toToken')
  if (fromChainId === toChainId && fromToken === toToken)
    throw invalidParameter('toToken', 'conflicting')
  return {
    fromChainId,
    toChainId,
    fromToken,
    toToken,
    fromAmount: readAmount(query),
    wallets: readWallets(query),
    slippageBps: readSlippage(query),
    preference: readPreference(query),
  }
}

/** A required chain id, 1 to 16 digits. Throws Failure invalid_request naming the parameter. */
export function readChain(query: Query, name: string): number {
  const text = requiredValue(query, name)
  if (!CHAIN_ID.test(text)) throw invalidParameter(name)
  return Number(text)
}

/** Throws Failure unsupported_chain unless the chain is served. */
export function assertServed(
  chainId: number,
  parameter: string,
  isServed: (chainId: number) => boolean,
): void {
  // Above the safe integers, two ids could be the same number. No served chain has such an id.
  if (!Number.isSafeInteger(chainId) || !isServed(chainId)) {
    throw new Failure('unsupported_chain', { parameter, reason: 'unknown_chain' })
  }
}

/** Whether a text has the form of a chain id. */
export function isChainId(text: string): boolean {
  return CHAIN_ID.test(text)
}

/** The normal form of a token’s address: lower case; both addresses of the native coin become the zero address. */
export function tokenAddress(address: string): string {
  const lower = address.toLowerCase()
  return lower === OTHER_NATIVE_ADDRESS ? NATIVE_ADDRESS : lower
}

const CHAIN_ID = /^[1-9][0-9]{0,15}$/
const AMOUNT = /^[1-9][0-9]{0,77}$/
const OTHER_NATIVE_ADDRESS = `0x${'e'.repeat(40)}`

function readToken(query: Query, name: string): string {
  const address = requiredValue(query, name)
  if (!isAddress(address)) throw invalidParameter(name)
  return tokenAddress(address)
}

function readAmount(query: Query): bigint {
  const text = requiredValue(query, 'fromAmount')
  const amount = AMOUNT.test(text) ? BigInt(text) : UINT256_LIMIT
  if (amount >= UINT256_LIMIT) throw invalidParameter('fromAmount')
  return amount
}

function readWallets(query: Query): SwapOrder['wallets'] {
  const from = readWallet(query, 'fromAddress')
  const to = readWallet(query, 'toAddress')
  if (from === undefined && to !== undefined) throw badAddress('toAddress', 'conflicting')
  return from === undefined ? null : { from, to: to ?? from }
}

function readWallet(query: Query, name: string): string | undefined {
  const address = optionalValue(query, name)
  if (address === undefined) return undefined
  const lower = address.toLowerCase()
  if (!isEip55(address) || lower === NATIVE_ADDRESS) throw badAddress(name, 'malformed')
  return lower
}

function readSlippage(query: Query): number {
  const text = optionalValue(query, 'slippageBps')
  if (text === undefined) return SWAP_LIMITS.slippageDefaultBps
  const bps = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (bps < SWAP_LIMITS.slippageMinBps || bps > SWAP_LIMITS.slippageMaxBps) {
    throw invalidParameter('slippageBps', 'out_of_range')
  }
  return bps
}

function readPreference(query: Query): SwapPreference {
  const text = optionalValue(query, 'order') ?? SWAP_PREFERENCES[0]
  const preference = SWAP_PREFERENCES.find((known) => known === text)
  if (preference === undefined) throw invalidParameter('order')
  return preference
}

function badAddress(parameter: string, reason: ReasonOf<'invalid_address'>): Failure {
  return new Failure('invalid_address', { parameter, reason })
}
