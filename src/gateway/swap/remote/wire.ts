import { type FeeType, SWAP_LIMITS } from '../../../contract/swap.ts'
import { isAddress } from '../../../core/hex.ts'
import { isObject } from '../../../core/json.ts'
import { tokenAddress, UINT256_LIMIT } from '../order.ts'
import type { SwapChain, SwapFee, SwapToken } from '../provider.ts'
import { parseUsd, toExplorerUrl, toLabel, toLogoUrl } from '../text.ts'

export type WireRow = Readonly<Record<string, unknown>>

/** An answer with a missing or malformed field. `field`: the wire’s name of the field, for the log. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly field: string
  constructor(field: string) {
    super(`swap provider: ${field}`)
    this.field = field
  }
}

/** The list of EVM chains. */
export const CHAINS_PATH = '/v1/chains?chainTypes=EVM'

/** The header of an API key; empty without a key. */
export function keyHeader(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { 'x-lifi-api-key': key }
}

/** An object member. Throws WireError. */
export function objectAt(row: WireRow, field: string): WireRow {
  const value = row[field]
  if (!isObject(value)) throw new WireError(field)
  return value
}

/** An amount in base units, below 2^256. The wire uses decimal and hex text. Throws WireError. */
export function wireAmountAt(row: WireRow, field: string): bigint {
  const amount = parseWireAmount(row[field])
  if (amount === null) throw new WireError(field)
  return amount
}

/** Parses an amount in base units; null for any other value. */
export function parseWireAmount(value: unknown): bigint | null {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !AMOUNT.test(text)) return null
  const amount = BigInt(text)
  return amount < UINT256_LIMIT ? amount : null
}

/** A wallet’s or contract’s address in lower case. Throws WireError. */
export function addressAt(row: WireRow, field: string): string {
  const address = parseWireAddress(row[field])
  if (address === null) throw new WireError(field)
  return address
}

/** Parses an address, in lower case; null for any other value. */
export function parseWireAddress(value: unknown): string | null {
  return typeof value === 'string' && isAddress(value) ? value.toLowerCase() : null
}

/** A chain’s id. Throws WireError. */
export function chainIdAt(row: WireRow, field: string): number {
  const id = row[field]
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) throw new WireError(field)
  return id
}

/** Seconds, rounded up, at most `durationMaxSeconds`; 0 for any other value. */
export function parseWireSeconds(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0
  return Math.min(Math.ceil(value), SWAP_LIMITS.durationMaxSeconds)
}

/** The objects of a list, at most `rowsMax`; empty for any other value. */
export function wireRows(value: unknown, rowsMax: number): readonly WireRow[] {
  return Array.isArray(value) ? value.slice(0, rowsMax).filter(isObject) : []
}

/** The token at a member. Throws WireError. */
export function tokenAt(row: WireRow, field: string): SwapToken {
  const token = parseWireToken(row[field])
  if (token === null) throw new WireError(field)
  return token
}

/** Parses a token, with only the fields that answers have; null for any value but a token of an EVM chain. */
export function parseWireToken(value: unknown): SwapToken | null {
  if (!isObject(value)) return null
  const { chainId, decimals } = value
  const address = parseWireAddress(value['address'])
  if (address === null || !isWhole(chainId, 1, Number.MAX_SAFE_INTEGER)) return null
  if (!isWhole(decimals, 0, SWAP_LIMITS.decimalsMax)) return null
  return {
    chainId,
    address: tokenAddress(address),
    symbol: toLabel(value['symbol'], SWAP_LIMITS.symbolMaxChars),
    name: toLabel(value['name'], SWAP_LIMITS.nameMaxChars),
    decimals,
    priceUsd: parseUsd(value['priceUSD']),
    logo: toLogoUrl(value['logoURI']),
  }
}

/** Parses a chain of the list; null unless it is an EVM main network. */
export function parseWireChain(row: WireRow): SwapChain | null {
  const { id, chainType, mainnet } = row
  const coin = isObject(row['nativeToken']) ? row['nativeToken'] : {}
  const wallet = isObject(row['metamask']) ? row['metamask'] : {}
  if (chainType !== 'EVM' || mainnet === false) return null
  if (!isWhole(id, 1, Number.MAX_SAFE_INTEGER)) return null
  const [explorer] = Array.isArray(wallet['blockExplorerUrls']) ? wallet['blockExplorerUrls'] : []
  const { decimals } = coin
  return {
    chainId: id,
    name: toLabel(row['name'], SWAP_LIMITS.nameMaxChars),
    nativeSymbol: toLabel(coin['symbol'] ?? row['coin'], SWAP_LIMITS.symbolMaxChars),
    nativeDecimals: isWhole(decimals, 0, SWAP_LIMITS.decimalsMax) ? decimals : NATIVE_DECIMALS,
    explorer: toExplorerUrl(explorer),
  }
}

/** Parses the fees of a quote or transfer. A fee's name is free text; it only selects the type and is not returned. */
export function parseWireFees(value: unknown): readonly SwapFee[] {
  return wireRows(value, SWAP_LIMITS.quoteRowsMax).map((row) => ({
    type: feeType(String(row['name'] ?? '')),
    included: row['included'] === true,
    amount: wireAmountAt(row, 'amount'),
    amountUsd: parseUsd(row['amountUSD']),
    token: parseWireToken(row['token']),
  }))
}

const AMOUNT = /^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/
const NATIVE_DECIMALS = 18

const FEE_WORDS: readonly { readonly type: FeeType; readonly words: RegExp }[] = [
  { type: 'service', words: /integrator|fixed fee|li\.?fi/i },
  { type: 'relay', words: /relay|bridge|solver|messag|gas|destination|\blp\b/i },
]

function feeType(name: string): FeeType {
  return FEE_WORDS.find(({ words }) => words.test(name))?.type ?? 'protocol'
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}
