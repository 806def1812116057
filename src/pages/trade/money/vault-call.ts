import { encodeWords, type Field, type FieldValues } from '../../../core/crypto/eip712.ts'
import { functionSelector, keccakOfText } from '../../../core/crypto/keccak.ts'
import { toHex } from '../../../core/hex.ts'

/** The data of a deposit: account, broker id, and the amount of USDC in its smallest unit. */
export type DepositData = {
  readonly accountId: string
  readonly brokerId: string
  readonly units: bigint
}

/** Call data for an ERC-20 token: approve an allowance, read an allowance, read a balance. */
export const TOKEN_CALLS = {
  approve: (spender: string, units: bigint) =>
    call('approve(address,uint256)', [
      ['address', spender],
      ['uint256', units],
    ]),
  allowance: (owner: string, spender: string) =>
    call('allowance(address,address)', [
      ['address', owner],
      ['address', spender],
    ]),
  balanceOf: (owner: string) => call('balanceOf(address)', [['address', owner]]),
} as const

const DATA = '(bytes32,bytes32,bytes32,uint128)'

/** Call data for the venue's vault: the deposit, and reading the deposit's fee in the chain's native coin. */
export const VAULT_CALLS = {
  deposit: (data: DepositData) => call(`deposit(${DATA})`, dataArguments(data)),
  depositFee: (receiver: string, data: DepositData) =>
    call(`getDepositFee(address,${DATA})`, [['address', receiver], ...dataArguments(data)]),
} as const

type Argument = readonly [type: Field['type'], value: FieldValues[Field['type']]]

/** The arguments that identify the account in the vault: its id and the hashes of broker id and token, then the amount. */
function dataArguments({ accountId, brokerId, units }: DepositData): readonly Argument[] {
  return [
    ['bytes32', accountId],
    ['bytes32', keccakOfText(brokerId)],
    ['bytes32', keccakOfText('USDC')],
    ['uint256', units],
  ]
}

/** Encodes a call whose arguments take 32 bytes each. */
function call(signature: string, args: readonly Argument[]): string {
  const fields = args.map(([type], at) => ({ name: String(at), type }))
  const values = Object.fromEntries(args.map(([, value], at) => [String(at), value]))
  return functionSelector(signature) + toHex(encodeWords(fields, values))
}
