import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { isAddress, isHash, isLowerHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'

/** One log of a receipt. Hex in lower case. */
export type ChainLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  /** The log's index in the block. */
  readonly logIndex: number
}

/** A mined transaction. Hex in lower case. Only logs of the requested emitters, in block sequence. */
export type Receipt = {
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly succeeded: boolean
  readonly logs: readonly ChainLog[]
}

/** The used members of a block. */
export type BlockHead = {
  readonly number: bigint
  readonly hash: string
  readonly timestampSeconds: bigint
}

/**
 * Parses the receipt of one transaction (`eth_getTransactionReceipt`). Null if the receipt belongs to a different
 * transaction or has no status, or if a log was removed or belongs to a different block or transaction. Logs of
 * contracts other than `emitters` (lower case) are skipped.
 */
export function parseReceipt(
  value: unknown,
  txHash: string,
  emitters: ReadonlySet<string>,
): Receipt | null {
  if (!isObject(value) || hash(value['transactionHash']) !== txHash) return null
  const blockNumber = quantity(value['blockNumber'])
  const blockHash = hash(value['blockHash'])
  const succeeded = STATUSES.get(value['status'])
  if (blockNumber === null || blockHash === null || succeeded === undefined) return null
  const logs = parseLogs(value['logs'], { txHash, blockHash, emitters })
  return logs && { blockNumber, blockHash, succeeded, logs }
}

/** Parses a block (`eth_getBlockByNumber`); null if number, hash or time is missing or malformed. */
export function parseBlock(value: unknown): BlockHead | null {
  if (!isObject(value)) return null
  const number = quantity(value['number'])
  const blockHash = hash(value['hash'])
  const timestampSeconds = quantity(value['timestamp'])
  if (number === null || blockHash === null || timestampSeconds === null) return null
  return { number, hash: blockHash, timestampSeconds }
}

/** Parses a QUANTITY of the Ethereum JSON-RPC, at most 256 bits; null for any other value. */
export function quantity(value: unknown): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null
}

const STATUSES: ReadonlyMap<unknown, boolean> = new Map([
  ['0x1', true],
  ['0x0', false],
])
const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/
const TOPICS_MAX = 4

type Place = {
  readonly txHash: string
  readonly blockHash: string
  readonly emitters: ReadonlySet<string>
}

function parseLogs(value: unknown, place: Place): ChainLog[] | null {
  if (!Array.isArray(value) || value.length > VOUCHER_LIMITS.logsMax) return null
  const logs: ChainLog[] = []
  for (const entry of value.filter((log) => knownEmitter(log, place))) {
    const log = parseLog(entry, place)
    if (log === null || log.logIndex <= (logs.at(-1)?.logIndex ?? -1)) return null
    logs.push(log)
  }
  return logs
}

function knownEmitter(log: unknown, { emitters }: Place): string | null {
  const address = isObject(log) ? lowerCase(log['address'], isAddress) : null
  return address !== null && emitters.has(address) ? address : null
}

function parseLog(value: unknown, { txHash, blockHash }: Place): ChainLog | null {
  if (!isObject(value) || (value['removed'] ?? false) !== false) return null
  if (hash(value['transactionHash']) !== txHash || hash(value['blockHash']) !== blockHash)
    return null
  const address = lowerCase(value['address'], isAddress)
  const data = lowerCase(value['data'], isLowerHex)
  const topics = parseTopics(value['topics'])
  const logIndex = Number(quantity(value['logIndex']) ?? Number.NaN)
  if (address === null || data === null || topics === null) return null
  return Number.isSafeInteger(logIndex) ? { address, topics, data, logIndex } : null
}

function parseTopics(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length > TOPICS_MAX) return null
  const topics = value.map(hash)
  return topics.every((topic) => topic !== null) ? topics : null
}

function hash(value: unknown): string | null {
  return lowerCase(value, isHash)
}

function lowerCase(value: unknown, isShaped: (text: string) => boolean): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return isShaped(text) ? text : null
}
