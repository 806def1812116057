import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { keccakOfText } from '../../src/core/crypto/keccak.ts'
import { startChain, type TestChain } from './chain.ts'

export const CHAIN_ID = 42_161

const ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

/** A chain with USDC and a vault that takes deposits for the accounts of one broker. */
export type DepositChain = {
  readonly chain: TestChain
  readonly usdc: Address
  readonly vault: Address
  /** Gives a wallet coin for fees and so much USDC, in its smallest unit, and lets the node sign for it. */
  readonly fill: (wallet: Address, units: bigint) => Promise<void>
  readonly balanceOf: (owner: Address) => Promise<bigint>
  readonly allowanceOf: (owner: Address) => Promise<bigint>
}

/** Opens a chain whose vault takes deposits for a broker. */
export async function openDepositChain(brokerId: string): Promise<DepositChain> {
  const chain = await startChain(CHAIN_ID)
  const usdc = await chain.deploy('Token', 'uint256', [0n])
  const vault = await chain.deploy('AccountDeposits', 'address, bytes32', [
    usdc,
    keccakOfText(brokerId),
  ])
  const read = async (data: Hex) =>
    BigInt(await chain.rpc<Hex>('eth_call', { to: usdc, data }, 'latest'))
  return {
    ...{ chain, usdc, vault },
    fill: async (wallet, units) => {
      await chain.rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000')
      await chain.rpc('anvil_impersonateAccount', wallet)
      const data = encodeFunctionData({ abi: ABI, functionName: 'mint', args: [wallet, units] })
      await chain.send({ to: usdc, data })
    },
    balanceOf: (owner) =>
      read(encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [owner] })),
    allowanceOf: (owner) =>
      read(encodeFunctionData({ abi: ABI, functionName: 'allowance', args: [owner, vault] })),
  }
}

/** The account of a wallet with a broker, and a deposit into it. */
export function depositData(wallet: Address, brokerId: string, units: bigint) {
  return { accountId: mainAccountId(wallet, brokerId), brokerId, units }
}
