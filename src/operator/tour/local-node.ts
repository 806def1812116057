import type { ServiceTransport } from '../../agents/client/client.ts'
import { isObject } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { pollUntil } from '../command/steps.ts'

type LocalNodeOptions = {
  readonly url: string
  readonly name: string
  readonly transport: ServiceTransport
  readonly sleep: (ms: number) => Promise<void>
}

/** A development node on this machine. Its first account signs. */
export type LocalNode = ReturnType<typeof localNode>

/**
 * Calls a node by JSON-RPC 2.0. Every method throws an Error that names the node and the refused call but not the
 * node's own text.
 */
export function localNode(parts: LocalNodeOptions) {
  const ask = (method: string, ...params: readonly unknown[]) => call(parts, method, params)

  /** The node's first unlocked account, lower case. */
  async function account(): Promise<string> {
    const accounts = await ask('eth_accounts')
    const [first] = Array.isArray(accounts) ? accounts : []
    if (typeof first !== 'string') throw new Error(`the ${parts.name} has no unlocked account`)
    return first.toLowerCase()
  }

  /** Sends a transaction from the first account and waits until it is mined, whether it succeeds or reverts. */
  async function send(to: string, data: string) {
    // The gas is fixed, because a gas estimate fails for a transaction that reverts.
    const txHash = await ask('eth_sendTransaction', { from: await account(), to, data, gas: GAS })
    const poll = async () => {
      const receipt = await ask('eth_getTransactionReceipt', txHash)
      if (!isObject(receipt)) return null
      return { txHash: String(txHash), succeeded: receipt['status'] === '0x1' }
    }
    return pollUntil({ ...parts, ...MINING }, poll, `the ${parts.name} does not mine`)
  }

  return {
    chainId: async () => Number(parseUint(await ask('eth_chainId'))),
    account,
    /** Reads one number from a contract. */
    read: async (to: string, data: string) =>
      parseUint(await ask('eth_call', { to, data }, 'latest')),
    send,
    /** Mines one empty block. */
    mine: async () => void (await ask('evm_mine')),
  }
}

const GAS = '0x7a120'
const MINING = { everyMs: 250, pollsMax: 80 } as const

async function call(
  { url, name, transport }: LocalNodeOptions,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  let answer: unknown
  try {
    answer = await (await transport(new Request(url, { method: 'POST', headers, body }))).json()
  } catch (error) {
    reportUnexpected('process', error, Error)
    throw new Error(`the ${name} cannot be reached`)
  }
  if (!isObject(answer) || !('result' in answer)) throw new Error(`the ${name} refused ${method}`)
  return answer['result']
}

function parseUint(value: unknown): bigint {
  const isNumber = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
  // Refuses an empty word, which a call to an address without a contract returns.
  if (!isNumber) throw new Error('there is no such contract, or it answers no number')
  return BigInt(value)
}
