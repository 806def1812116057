import {
  DEPOSIT_EVENTS,
  type DepositEvent,
  type EventRow,
  TRANSFER_EVENT,
} from '../../contract/voucher.ts'
import { keccakOfText } from '../../core/crypto/keccak.ts'
import { mulDiv } from '../../core/decimals.ts'
import { ZERO_ADDRESS } from '../../core/hex.ts'
import type { PayoutTerms } from '../../store/voucher/port.ts'
import { type Payout, payoutKey, type SourceChain } from './config.ts'
import type { ChainLog, Receipt } from './receipt.ts'

/** A deposit as stated by its vault's event. `token` is null if it is unknown. */
export type VaultDeposit = {
  readonly logIndex: number
  readonly depositId: bigint
  readonly depositor: string
  readonly token: string | null
  readonly amount: bigint
  readonly recipient: string
  readonly destinationChainId: bigint
}

/** The settings of a chain that are needed to parse its deposits. */
export type DepositRules = Pick<SourceChain, 'vault' | 'event' | 'symbols' | 'destinationChainId'>

/**
 * The deposits of a transaction: only events of the configured vault, with exactly the event's topics and data. The
 * token of an `AccountDepositTo` deposit is null unless a separate transfer into the vault covers it.
 */
export function parseDeposits(receipt: Receipt, rules: DepositRules): VaultDeposit[] {
  const events = receipt.logs.flatMap((log) => {
    if (log.address !== rules.vault) return []
    const words = decodeLog(log, DEPOSIT_EVENTS[rules.event])
    return words ? [READERS[rules.event](log.logIndex, words, rules)] : []
  })
  if (rules.event === 'Deposit') return events
  return events.map((deposit) =>
    isCovered(deposit, events, receipt, rules.vault) ? deposit : { ...deposit, token: null },
  )
}

/** The contracts whose logs prove a deposit: the vault, and also the tokens if the vault's event alone is no proof. */
export function logEmitters({
  vault,
  event,
  symbols,
}: Pick<SourceChain, 'vault' | 'event' | 'symbols'>): ReadonlySet<string> {
  return new Set([vault, ...(event === 'AccountDepositTo' ? symbols.values() : [])])
}

/** The words of a log by field name; null unless the log matches the event exactly. */
function decodeLog(log: ChainLog, event: EventRow): Words | null {
  const [topic, ...indexed] = log.topics
  if (topic !== eventTopic(event) || indexed.length !== event.topics.length) return null
  const data = dataWords(log.data)
  if (data.length !== event.data.length) return null
  const fields = [...event.topics, ...event.data]
  const words = new Map<string, bigint>()
  for (const [at, text] of [...indexed.map((word) => word.slice(2)), ...data].entries()) {
    const field = fields[at]
    const word = BigInt(`0x${text}`)
    if (!field || text.length !== WORD_DIGITS || word >> BITS[field.type] !== 0n) return null
    words.set(field.name, word)
  }
  return words
}

/** The first topic of an event: the Keccak-256 of its signature. */
function eventTopic({ name, topics, data }: EventRow): string {
  const types = [...topics, ...data].map(({ type }) => type).join(',')
  return keccakOfText(`${name}(${types})`)
}

type Words = ReadonlyMap<string, bigint>

const WORD_DIGITS = 64
const BITS = { uint256: 256n, uint128: 128n, uint64: 64n, address: 160n, bytes32: 256n } as const

type Reader = (logIndex: number, words: Words, rules: DepositRules) => VaultDeposit

const READERS: Readonly<Record<DepositEvent, Reader>> = {
  Deposit: (logIndex, words) => ({
    logIndex,
    depositId: word(words, 'depositId'),
    depositor: address(words, 'depositor'),
    token: address(words, 'token'),
    amount: word(words, 'amount'),
    recipient: address(words, 'recipient'),
    destinationChainId: word(words, 'destinationChainId'),
  }),
  AccountDepositTo: (logIndex, words, { symbols, destinationChainId }) => ({
    logIndex,
    depositId: word(words, 'depositNonce'),
    depositor: address(words, 'userAddress'),
    token: symbols.get(`0x${digits(words, 'tokenHash', WORD_DIGITS)}`) ?? null,
    amount: word(words, 'tokenAmount'),
    recipient: address(words, 'userAddress'),
    destinationChainId: BigInt(destinationChainId ?? 0),
  }),
}

/**
 * Whether there are enough transfers into the vault for all deposits of the same token and amount. Each deposit needs a
 * separate transfer.
 */
function isCovered(
  { token, amount }: VaultDeposit,
  deposits: readonly VaultDeposit[],
  { logs }: Receipt,
  vault: string,
): boolean {
  const alike = deposits.filter((other) => other.token === token && other.amount === amount)
  const arrivals = logs.filter(
    (log) => log.address === token && arrivedAmount(log, vault) === amount,
  )
  return arrivals.length >= alike.length
}

/** The amount of a transfer into the vault from a different address; null for any other log. */
function arrivedAmount(log: ChainLog, vault: string): bigint | null {
  const words = decodeLog(log, TRANSFER_EVENT)
  if (!words || address(words, 'to') !== vault || address(words, 'from') === vault) return null
  return word(words, 'value')
}

function word(words: Words, name: string): bigint {
  return words.get(name) ?? 0n
}

function address(words: Words, name: string): string {
  return `0x${digits(words, name, 40)}`
}

function digits(words: Words, name: string, length: number): string {
  return word(words, name).toString(16).padStart(length, '0')
}

function dataWords(data: string): string[] {
  return data.slice(2).match(/.{1,64}/g) ?? []
}

/**
 * The payout of a deposit: `amount × mul ÷ div`, floored to the paid token's units. Null for a deposit that is not
 * served, or a payout of zero or above the maximum per deposit.
 */
export function payoutTerms(deposit: VaultDeposit, chain: Served): PayoutTerms | null {
  const rule = payoutRule(deposit, chain)
  if (!rule) return null
  const amount = mulDiv(deposit.amount, rule.mul, rule.div, 'floor')
  if (amount <= 0n || amount > rule.max) return null
  return { redeemer: rule.redeemer, token: rule.token, amount }
}

/** Whether deposits with this token, destination and recipient are paid. */
export function isServed(deposit: VaultDeposit, chain: Served): boolean {
  return payoutRule(deposit, chain) !== null
}

type Served = Pick<SourceChain, 'payouts'>

function payoutRule(
  { token, destinationChainId, recipient }: VaultDeposit,
  { payouts }: Served,
): Payout | null {
  if (token === null || recipient === ZERO_ADDRESS) return null
  return payouts.get(payoutKey(token, destinationChainId)) ?? null
}
