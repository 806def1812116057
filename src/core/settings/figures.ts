import { IN_KEYCHAIN } from '../../contract/agent-limits.ts'
import type { Policy } from '../../contract/limits.ts'
import { fromBase58 } from '../crypto/base58.ts'
import { parseDecimal } from '../decimals.ts'
import { fromHex } from '../hex.ts'

/** Every parser in this file returns undefined for text that does not match its kind. */

const USDC_DECIMALS = 6
const USDC_MAX_MICROS = 10n ** 15n

/** Parses a decimal from 0 to 1. */
export function parseRate(text: string): number | undefined {
  return /^(?:0(?:\.\d{1,8})?|1(?:\.0{1,8})?)$/.test(text) ? Number(text) : undefined
}

/** Parses a UTC time in whole seconds of this century, such as `2026-01-01T00:00:00Z`, to Unix ms. */
export function parseInstant(text: string): number | undefined {
  const atMs = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? undefined : atMs
}

/** Parses an unsigned integer below 2^53. */
export function parseWholeNumber(text: string): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** Parses an amount in USDC to micro-USDC. */
export function parseUsdc(text: string): bigint | undefined {
  const micros = /^[\d.]+$/.test(text) ? parseDecimal(text, USDC_DECIMALS) : null
  return micros === null || micros > USDC_MAX_MICROS ? undefined : micros
}

/** Returns a parser of integers from 0 to `max`. */
export function wholeNumberTo(max: number): (text: string) => number | undefined {
  return (text) => {
    const number = parseWholeNumber(text)
    return number !== undefined && number <= max ? number : undefined
  }
}

/** Parses a rate limit, written as `600/60s burst 120`. */
export function parsePolicy(text: string): Policy | undefined {
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s burst ([1-9]\d{0,8})$/.exec(text)
  if (!match) return undefined
  const [requests = 0, seconds = 0, burst = 0] = match.slice(1).map(Number)
  return { requests, seconds, burst }
}

/** Taker and maker fees as rates with eight decimals; `rwaFees` are the fees of non-crypto markets. */
export type Fees = {
  readonly fees: Pair
  readonly rwaFees: Pair
}

type Pair = { readonly taker: number; readonly maker: number }

const FEE_SHAPE = /^-?\d{1,3}(?:\.\d{1,4})?$/
/** Decimal places of a fee in basis points. The parsed integer is then a rate with eight decimal places. */
const FEE_PLACES = 4
/** 1% as a rate with eight decimals, the maximum for fees and rebates. */
const FEE_RATE_MAX = 1_000_000

/** Parses two or four figures in basis points: taker and maker, then the figures of non-crypto markets. */
export function parseFeeRates(text: string): Fees | undefined {
  const rates = text.split(',').map(basisPointRate)
  const isWhole = (rates.length === 2 || rates.length === 4) && rates.every(Number.isSafeInteger)
  const [taker = 0, maker = 0, rwaTaker = taker, rwaMaker = maker] = rates
  return isWhole
    ? { fees: { taker, maker }, rwaFees: { taker: rwaTaker, maker: rwaMaker } }
    : undefined
}

/** A rate with eight decimals; NaN for an invalid or too large rate. */
function basisPointRate(text: string): number {
  const rate = FEE_SHAPE.test(text) ? Number(parseDecimal(text, FEE_PLACES)) : Number.NaN
  return Math.abs(rate) <= FEE_RATE_MAX ? rate : Number.NaN
}

const KEY_BYTES = 32

/** One operator key, or two on two lines; undefined for anything else. */
export function keyLines(text: string): readonly string[] | undefined {
  const lines = text.split('\n')
  return lines.length <= 2 && lines.every((line) => /^[\x21-\x7e]{32,256}$/.test(line))
    ? lines
    : undefined
}

/** One wallet key as hex, or two on two lines; undefined for anything else. */
export function hexKeyLines(text: string): readonly Uint8Array[] | undefined {
  const keys = text.split('\n').map(hexKey)
  return keys.length <= 2 && keys.every((key) => key !== undefined) ? keys : undefined
}

/** The 32 bytes of a key from its hex; undefined for anything else. */
function hexKey(text: string): Uint8Array | undefined {
  return validKey(fromHex(text))
}

/** The 32 bytes of a trading key from hex or `ed25519:` and base58; undefined for anything else. */
export function parseTradingKey(text: string): Uint8Array | undefined {
  return text.startsWith('ed25519:') ? base58Key(text.slice(8)) : hexKey(text)
}

/** A trading key, or the word that means the system's keychain. */
export function parseAgentKey(text: string): Uint8Array | typeof IN_KEYCHAIN | undefined {
  return text === IN_KEYCHAIN ? IN_KEYCHAIN : parseTradingKey(text)
}

/** The 32 bytes of a key from its base58; undefined for anything else. */
function base58Key(text: string): Uint8Array | undefined {
  return validKey(fromBase58(text))
}

/** The bytes if they can be a key. All zeros mean an unfilled template, and are not a valid wallet key. */
function validKey(bytes: Uint8Array | null): Uint8Array | undefined {
  return bytes?.length === KEY_BYTES && bytes.some((byte) => byte !== 0) ? bytes : undefined
}
