import { ChainFailure } from './chain-failure.ts'
import { type DepositData, TOKEN_CALLS, VAULT_CALLS } from './vault-call.ts'

/** Calls a method of the wallet, which may forward the call to its chain. */
export type AskWallet = (method: string, params: readonly unknown[]) => Promise<unknown>

/** A wallet, with the functions that wait for its transactions. */
export type WalletChain = {
  readonly ask: AskWallet
  /** The wallet's address. */
  readonly from: string
  readonly sleep: (ms: number) => Promise<void>
  readonly left: AbortSignal
}

type Transaction = { readonly to: string; readonly data: string; readonly value?: string }

/** Sends a transaction through the wallet and returns its hash. Throws ChainFailure and the errors of `ask`. */
export async function sendTransaction(
  { ask, from, left }: WalletChain,
  transaction: Transaction,
): Promise<string> {
  if (left.aborted) throw new ChainFailure('left')
  const hash = await ask('eth_sendTransaction', [{ from, ...transaction }])
  if (typeof hash === 'string' && HASH.test(hash)) return hash
  throw new ChainFailure('shape')
}

const HASH = /^0x[0-9a-fA-F]{64}$/
const NUMBER = /^0x[0-9a-fA-F]{64}$/

/** Reads a number from a contract. Throws ChainFailure and the errors of `ask`. */
async function numberAt(
  { ask }: Pick<WalletChain, 'ask'>,
  to: string,
  data: string,
): Promise<bigint> {
  const answer = await ask('eth_call', [{ to, data }, 'latest'])
  if (typeof answer === 'string' && NUMBER.test(answer)) return BigInt(answer)
  throw new ChainFailure('shape')
}

const LOOK_EVERY_MS = 1500
const LOOKS_MAX = 200

/** Waits until a transaction is mined. Throws ChainFailure (`reverted`, or `slow` after all polls) and the errors of `ask`. */
async function mined({ ask, sleep, left }: WalletChain, hash: string): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const receipt = await ask('eth_getTransactionReceipt', [hash])
    if (typeof receipt === 'object' && receipt !== null) {
      if (Reflect.get(receipt, 'status') === '0x1') return
      throw new ChainFailure('reverted', hash)
    }
    if (left.aborted) break
    await sleep(LOOK_EVERY_MS)
  }
  throw new ChainFailure('slow', hash)
}

/** The amount of a token that a contract may take from the wallet, in the token's smallest unit. */
export type Allowance = {
  readonly token: string
  readonly spender: string
  readonly units: bigint
  /** Whether the token accepts a new allowance only after the old one is set to zero. */
  readonly isResetFirst?: boolean
}

/**
 * Sets a contract's allowance to exactly `units` if it is lower, and waits until the change is mined. Calls `onStep`
 * before asking the wallet (`approve`) and before waiting for the chain (`approving`). Throws ChainFailure and the
 * errors of `ask`.
 */
export async function allow(
  chain: WalletChain,
  { token, spender, units, isResetFirst = false }: Allowance,
  onStep: (name: 'approve' | 'approving') => void,
): Promise<void> {
  const allowed = await numberAt(chain, token, TOKEN_CALLS.allowance(chain.from, spender))
  if (allowed >= units) return
  for (const amount of isResetFirst && allowed > 0n ? [0n, units] : [units]) {
    onStep('approve')
    const hash = await sendTransaction(chain, {
      to: token,
      data: TOKEN_CALLS.approve(spender, amount),
    })
    onStep('approving')
    await mined(chain, hash)
  }
}

/** Reads an address's balance of a token, in the token's smallest unit. Throws ChainFailure and the errors of `ask`. */
export function readTokenBalance(ask: AskWallet, token: string, owner: string): Promise<bigint> {
  return numberAt({ ask }, token, TOKEN_CALLS.balanceOf(owner))
}

export type DepositRequest = WalletChain & {
  readonly vault: string
  readonly usdc: string
  readonly data: DepositData
  /** Gets each step; `fee` is in the smallest unit of the chain's native coin. */
  readonly onStep: (step: DepositStep) => void
}

export type DepositStep =
  | { readonly name: 'approve' | 'approving' | 'depositing' }
  | { readonly name: 'deposit'; readonly fee: bigint }

/**
 * Deposits through the wallet: sets the allowance, reads the fee and sends the deposit. Resolves with the deposit's
 * hash once it is mined. Throws ChainFailure and the errors of `ask`.
 */
export async function sendDeposit(parts: DepositRequest): Promise<string> {
  const { from, vault, usdc, data, onStep } = parts
  const allowance = { token: usdc, spender: vault, units: data.units }
  await allow(parts, allowance, (name) => onStep({ name }))
  const fee = await numberAt(parts, vault, VAULT_CALLS.depositFee(from, data))
  onStep({ name: 'deposit', fee })
  const value = `0x${fee.toString(16)}`
  const hash = await sendTransaction(parts, { to: vault, value, data: VAULT_CALLS.deposit(data) })
  onStep({ name: 'depositing' })
  await mined(parts, hash)
  return hash
}
