// Slow: an EVM node starts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Address, encodeFunctionData, keccak256, parseAbi, stringToHex } from 'viem'
import { ChainFailure } from '../../src/pages/trade/money/chain-failure.ts'
import {
  type DepositRequest,
  type DepositStep,
  readTokenBalance,
  sendDeposit,
} from '../../src/pages/trade/money/transactions.ts'
import { TOKEN_CALLS, VAULT_CALLS } from '../../src/pages/trade/money/vault-call.ts'
import { type DepositChain, depositData, openDepositChain } from './deposits.ts'

const BROKER = 'demo'
const WALLET: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const UNITS = 25_000_000n

const ABI = parseAbi([
  'struct Data { bytes32 accountId; bytes32 brokerHash; bytes32 tokenHash; uint128 tokenAmount; }',
  'function deposit(Data data) payable',
  'function getDepositFee(address receiver, Data data) view returns (uint256)',
  'function approve(address spender, uint256 value)',
  'function allowance(address owner, address spender)',
  'function balanceOf(address owner)',
])

const address = fc.stringMatching(/^0x[0-9a-f]{40}$/).map((text): Address => `0x${text.slice(2)}`)
const units = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

test('calls are encoded as a library encodes them', () => {
  fc.assert(
    fc.property(address, address, units, fc.string({ maxLength: 20 }), (a, b, value, name) => {
      const brokerId = name.toWellFormed()
      const data = depositData(a, brokerId, value)
      const [brokerHash, tokenHash] = [brokerId, 'USDC'].map((text) => keccak256(stringToHex(text)))
      if (!brokerHash || !tokenHash) throw new Error('no hash')
      const id = data.accountId.slice(2)
      const encoded = { accountId: `0x${id}`, brokerHash, tokenHash, tokenAmount: value } as const
      const calls = [
        ['deposit', [encoded], VAULT_CALLS.deposit(data)],
        ['getDepositFee', [b, encoded], VAULT_CALLS.depositFee(b, data)],
        ['approve', [b, value], TOKEN_CALLS.approve(b, value)],
        ['allowance', [a, b], TOKEN_CALLS.allowance(a, b)],
        ['balanceOf', [a], TOKEN_CALLS.balanceOf(a)],
      ] as const
      for (const [functionName, args, own] of calls)
        expect<string>(own).toBe(encodeFunctionData({ abi: ABI, functionName, args } as never))
    }),
  )
})

describe('a deposit through a wallet', () => {
  let place: DepositChain
  beforeAll(async () => {
    place = await openDepositChain(BROKER)
    await place.fill(WALLET, 100_000_000n)
  })
  afterAll(() => place.chain.stop())

  /** Deposits, and keeps the names of the steps and the methods that the wallet was asked. */
  async function run(change: Partial<DepositRequest> = {}, gas?: string) {
    const [steps, asked]: [DepositStep[], string[]] = [[], []]
    const hash = await sendDeposit({
      ...{ from: WALLET, vault: place.vault, usdc: place.usdc },
      data: depositData(WALLET, BROKER, UNITS),
      onStep: (step) => steps.push(step),
      sleep: () => Bun.sleep(5),
      left: new AbortController().signal,
      ask: (method, [first, ...rest]) => {
        asked.push(method)
        const call = gas && method === 'eth_sendTransaction' ? { ...Object(first), gas } : first
        return place.chain.rpc(method, call, ...rest)
      },
      ...change,
    }).catch((error: unknown) => error)
    return { hash, steps, asked }
  }

  test('approves exactly the amount, pays the fee, and reaches the account', async () => {
    const { hash, steps } = await run()
    expect(steps).toEqual([
      ...[{ name: 'approve' as const }, { name: 'approving' as const }],
      { name: 'deposit', fee: 300_000_000_000_000n },
      { name: 'depositing' },
    ])
    expect(await place.balanceOf(place.vault)).toBe(UNITS)
    expect(await place.allowanceOf(WALLET)).toBe(0n)
    const receipt = await place.chain.rpc<{ logs: { topics: string[] }[] }>(
      'eth_getTransactionReceipt',
      hash,
    )
    expect(receipt.logs.at(-1)?.topics[1]).toBe(depositData(WALLET, BROKER, UNITS).accountId)
  })

  test('asks for no approval where one holds', async () => {
    const data = TOKEN_CALLS.approve(place.vault, UNITS)
    await place.chain.send({ from: WALLET, to: place.usdc, data: `0x${data.slice(2)}` })
    const { steps, asked } = await run()
    expect(steps.map(({ name }) => name)).toEqual(['deposit', 'depositing'])
    expect(asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
  })

  test('that the contract refuses on the chain moved nothing, and is said to be refused', async () => {
    const before = await place.balanceOf(WALLET)
    const { hash } = await run({ data: depositData(WALLET, 'another', UNITS) }, '0x2dc6c0')
    expect(hash).toMatchObject({ reason: 'reverted', hash: expect.stringMatching(/^0x/) })
    expect(await place.balanceOf(WALLET)).toBe(before)
  })

  test('that the wallet declines ends with what the wallet threw', async () => {
    const declined = new Error('declined')
    const ask: DepositRequest['ask'] = (method, params) =>
      method === 'eth_sendTransaction'
        ? Promise.reject(declined)
        : place.chain.rpc(method, ...params)
    expect((await run({ ask })).hash).toBe(declined)
  })

  test('that is left sends nothing more', async () => {
    const { hash, asked } = await run({ left: AbortSignal.abort() })
    expect(hash).toMatchObject({ reason: 'left' })
    expect(asked).not.toContain('eth_sendTransaction')
  })

  test('that the chain does not take in time names its transaction', async () => {
    const ask: DepositRequest['ask'] = async (method, params) =>
      method === 'eth_getTransactionReceipt' ? null : place.chain.rpc(method, ...params)
    const { hash } = await run({ ask, sleep: async () => undefined })
    expect(hash).toMatchObject({ reason: 'slow', hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  })

  test.each([['0x'], [null], ['0x12'], [{}]])(
    'stops at an answer %p that is no number',
    async (answer) => {
      const { hash } = await run({ ask: async () => answer })
      expect(hash).toBeInstanceOf(ChainFailure)
      expect(hash).toMatchObject({ reason: 'shape' })
    },
  )

  test('reads what a wallet holds', async () => {
    const ask = (method: string, params: readonly unknown[]) => place.chain.rpc(method, ...params)
    expect(await readTokenBalance(ask, place.usdc, WALLET)).toBe(await place.balanceOf(WALLET))
  })
})
