import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import { GENESIS_SECONDS, type Mined, OWNER, startChain, type TestChain } from './chain.ts'
import { startEndpoint, type TestEndpoint } from './endpoint.ts'

export const SOURCE_ID = 901
export const DESTINATION_ID = 902
export const RECIPIENT: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
export const SIGNER = voucherSigner(new Uint8Array(32).fill(7))

export const ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function deposit(address token, uint256 amount, address recipient, uint256 destinationChainId)',
  'function depositTwice(address token, uint256 amount, address recipient, uint256 destinationChainId)',
  'struct Voucher { uint256 sourceChainId; address sourceVault; uint256 depositId; address recipient; address token; uint256 amount; uint256 validUntil; }',
  'function redeem(Voucher voucher, bytes signature)',
  'function digest(Voucher voucher) view returns (bytes32)',
  'function depositKey(Voucher voucher) view returns (bytes32)',
])
export const ACCOUNT_ABI = parseAbi([
  'function deposit(address token, string symbol, uint128 amount)',
])

export type Contracts = Readonly<
  Record<
    'token' | 'feeToken' | 'vault' | 'strangeVault' | 'accountVault' | 'redeemer' | 'paid',
    Address
  >
>

/** Two nodes, the contracts on them, and three ways to the first. */
export type Stage = {
  readonly source: TestChain
  readonly destination: TestChain
  readonly contracts: Contracts
  readonly endpoints: readonly [TestEndpoint, TestEndpoint, TestEndpoint]
  readonly clock: { nowMs: () => number; set: (ms: number) => void }
  /** Lets time pass for everyone. */
  readonly advance: (seconds: number) => Promise<void>
  /** Lets what is mined become final. */
  readonly finalise: () => Promise<void>
  readonly deposit: (overrides?: Partial<DepositCall>) => Promise<Mined>
  readonly stop: () => Promise<void>
}

type DepositCall = {
  vault: Address
  token: Address
  amount: bigint
  recipient: Address
  destinationChainId: bigint
  method: 'deposit' | 'depositTwice'
}

/** Opens a stage in the tests’ own time, or in that of the world for servers that know no other. */
export async function openStage(beginSeconds = GENESIS_SECONDS): Promise<Stage> {
  const [source, destination] = await Promise.all([
    startChain(SOURCE_ID, beginSeconds),
    startChain(DESTINATION_ID, beginSeconds),
  ])
  const contracts = await deployAll(source, destination)
  const endpoints = [
    startEndpoint(source.url),
    startEndpoint(source.url),
    startEndpoint(source.url),
  ] as const
  let nowMs = (beginSeconds + 60) * 1000
  const clock = {
    nowMs: () => nowMs,
    set: (ms: number) => {
      nowMs = ms
    },
  }
  async function advance(seconds: number): Promise<void> {
    nowMs += seconds * 1000
    for (const chain of [source, destination]) {
      await chain.rpc('evm_setNextBlockTimestamp', Math.floor(nowMs / 1000))
      await chain.mine(1)
    }
  }

  return {
    source,
    destination,
    contracts,
    endpoints,
    clock,
    advance,
    // Past the seconds that the blocks before have taken, and further apart than a head is remembered.
    finalise: async () => {
      await advance(20)
      await advance(4)
    },
    deposit: ({ vault = contracts.vault, method = 'deposit', ...call } = {}) =>
      source.send({
        to: vault,
        data: encodeFunctionData({
          abi: ABI,
          functionName: method,
          args: [
            call.token ?? contracts.token,
            call.amount ?? 25_000_000n,
            call.recipient ?? RECIPIENT,
            call.destinationChainId ?? BigInt(DESTINATION_ID),
          ],
        }),
      }),
    stop: async () => {
      await Promise.all([...endpoints, source, destination].map(({ stop }) => stop()))
    },
  }
}

async function deployAll(source: TestChain, destination: TestChain): Promise<Contracts> {
  const contracts = {
    token: await source.deploy('Token', 'uint256', [0n]),
    feeToken: await source.deploy('Token', 'uint256', [100n]),
    vault: await source.deploy('Vault'),
    strangeVault: await source.deploy('Vault'),
    accountVault: await source.deploy('AccountVault'),
    paid: await destination.deploy('Token', 'uint256', [0n]),
    redeemer: await destination.deploy('Redeemer', 'address', [SIGNER.address]),
  }
  const { token, feeToken, vault, strangeVault, accountVault } = contracts
  for (const to of [token, feeToken]) {
    await source.send({
      to,
      data: encodeFunctionData({ abi: ABI, functionName: 'mint', args: [OWNER, 10n ** 30n] }),
    })
    for (const spender of [vault, strangeVault, accountVault]) {
      const args = [spender, 10n ** 30n] as const
      await source.send({
        to,
        data: encodeFunctionData({ abi: ABI, functionName: 'approve', args }),
      })
    }
  }
  return contracts
}
