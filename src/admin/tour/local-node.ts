import type { Transport } from '../../client/client.ts'
import { isLoopbackUrl } from '../../core/base-url.ts'
import { isObject } from '../../core/json.ts'

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

  async function mined(txHash: unknown): Promise<MinedTransaction> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const receipt = await ask('eth_getTransactionReceipt', txHash)
      if (isObject(receipt))
        return { txHash: String(txHash), succeeded: receipt['status'] === '0x1' }
      await parts.sleep(LOOK_MS)
    }
    throw new Error(`the ${parts.name} does not mine`)
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
const LOOK_MS = 250
const LOOKS_MAX = 80

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
  } catch {
    return undefined
  }
}

function numberOf(value: unknown): bigint {
  const isNumber = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
  // A contract that is not there answers an empty word.
  if (!isNumber) throw new Error('there is no such contract, or it answers no number')
  return BigInt(value)
}
