import { DepositFailure } from './deposit-failure.ts'
import { type DepositData, TOKEN_CALLS, VAULT_CALLS } from './vault-call.ts'

/** Asks the wallet, or its chain. */
export type AskWallet = (method: string, params: readonly unknown[]) => Promise<unknown>

export type DepositParts = {
  readonly ask: AskWallet
  /** The wallet's address. */
  readonly from: string
  readonly vault: string
  readonly usdc: string
  readonly data: DepositData
  /** Receives how far it is; `fee` is in the smallest unit of the chain's coin. */
  readonly onStep: (step: DepositStep) => void
  readonly sleep: (ms: number) => Promise<void>
  readonly left: AbortSignal
}

export type DepositStep =
  | { readonly name: 'approve' | 'approving' | 'depositing' }
  | { readonly name: 'deposit'; readonly fee: bigint }

/**
 * Deposits through the wallet: an approval of exactly the amount where the one that holds is smaller, the fee, the
 * deposit. Resolves to the hash of the deposit once the chain has it. Throws DepositFailure and what `ask` throws.
 */
export async function deposit(parts: DepositParts): Promise<string> {
  const { from, vault, usdc, data, onStep } = parts
  const allowed = await numberAt(parts, usdc, TOKEN_CALLS.allowance(from, vault))
  if (allowed < data.units) {
    onStep({ name: 'approve' })
    const hash = await send(parts, { to: usdc, data: TOKEN_CALLS.approve(vault, data.units) })
    onStep({ name: 'approving' })
    await mined(parts, hash)
  }
  const fee = await numberAt(parts, vault, VAULT_CALLS.depositFee(from, data))
  onStep({ name: 'deposit', fee })
  const value = `0x${fee.toString(16)}`
  const hash = await send(parts, { to: vault, value, data: VAULT_CALLS.deposit(data) })
  onStep({ name: 'depositing' })
  await mined(parts, hash)
  return hash
}

/** The USDC that an address has, in its smallest unit. Throws DepositFailure and what `ask` throws. */
export function balanceOf(ask: AskWallet, usdc: string, owner: string): Promise<bigint> {
  return numberAt({ ask }, usdc, TOKEN_CALLS.balanceOf(owner))
}

type Transaction = { readonly to: string; readonly data: string; readonly value?: string }

async function send(parts: DepositParts, transaction: Transaction): Promise<string> {
  if (parts.left.aborted) throw new DepositFailure('left')
  const hash = await parts.ask('eth_sendTransaction', [{ from: parts.from, ...transaction }])
  if (typeof hash === 'string' && HASH.test(hash)) return hash
  throw new DepositFailure('shape')
}

const HASH = /^0x[0-9a-fA-F]{64}$/
const NUMBER = /^0x[0-9a-fA-F]{64}$/

/** The number that a contract answers. */
async function numberAt({ ask }: Pick<DepositParts, 'ask'>, to: string, data: string) {
  const answer = await ask('eth_call', [{ to, data }, 'latest'])
  if (typeof answer === 'string' && NUMBER.test(answer)) return BigInt(answer)
  throw new DepositFailure('shape')
}

const LOOK_EVERY_MS = 1500
const LOOKS_MAX = 200

/** Waits until the chain has a transaction. */
async function mined({ ask, sleep, left }: DepositParts, hash: string): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const receipt = await ask('eth_getTransactionReceipt', [hash])
    if (typeof receipt === 'object' && receipt !== null) {
      if (Reflect.get(receipt, 'status') === '0x1') return
      throw new DepositFailure('reverted', hash)
    }
    if (left.aborted) break
    await sleep(LOOK_EVERY_MS)
  }
  throw new DepositFailure('slow', hash)
}
