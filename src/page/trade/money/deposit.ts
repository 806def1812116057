import { allow, mined, numberAt, send, type WalletChain } from './transactions.ts'
import { type DepositData, VAULT_CALLS } from './vault-call.ts'

export type DepositParts = WalletChain & {
  readonly vault: string
  readonly usdc: string
  readonly data: DepositData
  /** Receives how far it is; `fee` is in the smallest unit of the chain's coin. */
  readonly onStep: (step: DepositStep) => void
}

export type DepositStep =
  | { readonly name: 'approve' | 'approving' | 'depositing' }
  | { readonly name: 'deposit'; readonly fee: bigint }

/**
 * Deposits through the wallet: an approval of exactly the amount where the one that holds is smaller, the fee, the
 * deposit. Resolves to the hash of the deposit once the chain has it. Throws ChainFailure and what `ask` throws.
 */
export async function deposit(parts: DepositParts): Promise<string> {
  const { from, vault, usdc, data, onStep } = parts
  const allowance = { token: usdc, spender: vault, units: data.units }
  await allow(parts, allowance, (name) => onStep({ name }))
  const fee = await numberAt(parts, vault, VAULT_CALLS.depositFee(from, data))
  onStep({ name: 'deposit', fee })
  const value = `0x${fee.toString(16)}`
  const hash = await send(parts, { to: vault, value, data: VAULT_CALLS.deposit(data) })
  onStep({ name: 'depositing' })
  await mined(parts, hash)
  return hash
}
