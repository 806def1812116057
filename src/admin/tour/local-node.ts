import type { Transport } from '../../client/client.ts'
import { isLoopbackUrl } from '../../core/base-url.ts'
import { fromHex, toHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { expected } from '../../core/loop/guarded.ts'
import { selectorOf } from '../../crypto/keccak.ts'
import { lookUntil } from '../command/steps.ts'

/** An address or hash (0x and hex), or an unsigned number. */
export type Word = string | bigint

/** A voucher as the route answers it, in the order in which it is signed. */
export type VoucherFields = readonly [
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
export function redeemCall(voucher: VoucherFields, signature: string): string {
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

/** A transaction that is in a block. */
export type MinedTransaction = { readonly txHash: string; readonly succeeded: boolean }

/** A development node on this machine, whose first account it signs for itself. */
export type LocalNode = {
  readonly chainId: () => Promise<number>
  /** The first unlocked account, lower case. */
  readonly account: () => Promise<string>
  /** Reads one number from a contract. */
  readonly read: (to: string, data: string) => Promise<bigint>
  /** Sends from the first account and waits until it is mined, whether it succeeds or not. */
  readonly send: (to: string, data: string) => Promise<MinedTransaction>
  /** Mines one empty block. */
  readonly mine: () => Promise<void>
}

export type NodeParts = {
  readonly url: string
  /** How the node is called in what an operator reads. */
  readonly name: string
  readonly transport: Transport
  readonly sleep: (ms: number) => Promise<void>
}

/** Whether a URL is of this machine: nobody else’s node is sent transactions. */
export function isLocalUrl(url: string): boolean {
  return isLoopbackUrl(URL.parse(url))
}

/** Calls a node by JSON-RPC 2.0. Every method throws Error naming the node and what it refused, never its words. */
export function localNode(parts: NodeParts): LocalNode {
  const ask = (method: string, ...params: readonly unknown[]) => call(parts, method, params)

  async function account(): Promise<string> {
    const accounts = await ask('eth_accounts')
    const [first] = Array.isArray(accounts) ? accounts : []
    if (typeof first !== 'string') throw new Error(`the ${parts.name} has no unlocked account`)
    return first.toLowerCase()
  }

  function mined(txHash: unknown): Promise<MinedTransaction> {
    const look = async () => {
      const receipt = await ask('eth_getTransactionReceipt', txHash)
      if (!isObject(receipt)) return null
      return { txHash: String(txHash), succeeded: receipt['status'] === '0x1' }
    }
    return lookUntil({ ...parts, ...MINING }, look, `the ${parts.name} does not mine`)
  }

  return {
    chainId: async () => Number(numberOf(await ask('eth_chainId'))),
    account,
    read: async (to, data) => numberOf(await ask('eth_call', { to, data }, 'latest')),
    // The gas is given because an estimate refuses what is going to revert.
    send: async (to, data) =>
      mined(await ask('eth_sendTransaction', { from: await account(), to, data, gas: GAS })),
    mine: async () => void (await ask('evm_mine')),
  }
}

const GAS = '0x7a120'
const MINING = { everyMs: 250, looksMax: 80 } as const

async function call(
  { url, name, transport }: NodeParts,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await exchange(
    transport,
    new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  )
  if (answer === undefined) throw new Error(`the ${name} cannot be reached`)
  if (!isObject(answer) || !('result' in answer)) throw new Error(`the ${name} refused ${method}`)
  return answer['result']
}

/** What came back as JSON; undefined when nothing did. */
async function exchange(transport: Transport, request: Request): Promise<unknown> {
  try {
    return await (await transport(request)).json()
  } catch (error) {
    expected('process', error, Error)
    return undefined
  }
}

function numberOf(value: unknown): bigint {
  const isNumber = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
  // A contract that is not there answers an empty word.
  if (!isNumber) throw new Error('there is no such contract, or it answers no number')
  return BigInt(value)
}
