import type { Client } from '../../client/client.ts'
import { mulDiv } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import {
  type Payout,
  payoutKey,
  type SourceChain,
  type VoucherConfig,
} from '../../voucher/config.ts'
import { later, lookUntil, type Step } from '../command/steps.ts'
import type { LocalNode } from './local-node.ts'
import { callOf, redeemCall, type VoucherFields } from './local-node.ts'

/** Two nodes on this machine, and the file by which the running server knows the contracts on them. */
export type VoucherPlace = {
  readonly config: VoucherConfig
  readonly source: LocalNode
  readonly destination: LocalNode
}

type VoucherTour = VoucherPlace & {
  readonly client: Client
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Makes a deposit on the source node, has its voucher signed once it is final, redeems it on the destination node,
 * and sees the second redemption revert.
 */
export function voucherSteps(tour: VoucherTour): readonly Step[] {
  const [deposit, blocks, issued] = [later<Deposit>(), later<number>(), later<Issued>()]
  return [
    [
      'deposit',
      async () => {
        const { amount, chain, txHash } = deposit.set(await makeDeposit(tour))
        return `${amount} units on chain ${chain.chainId} in ${short(txHash)}`
      },
    ],
    [
      'voucher',
      async () => {
        const left = blocks.set(await pendingBlocks(tour, deposit.get()))
        return `not yet: the deposit is final in ${left} blocks`
      },
    ],
    [
      'finality',
      async () => {
        for (let mined = 0; mined < blocks.get(); mined++) await tour.source.mine()
        return `${blocks.get()} blocks mined on top of it`
      },
    ],
    [
      'voucher',
      async () => {
        const { depositKey, paid } = issued.set(await issuedVoucher(tour, deposit.get()))
        return `signed: ${short(depositKey)} pays ${paid} units`
      },
    ],
    [
      'redeem',
      async () => {
        await redeemOnce(tour, deposit.get(), issued.get())
        return `${issued.get().paid} units arrived on chain ${deposit.get().destinationChainId}`
      },
    ],
    [
      'redeem again',
      async () => {
        await redeemTwice(tour, deposit.get(), issued.get())
        return 'the redeemer refused: one deposit, one payment'
      },
    ],
  ]
}

type Deposit = {
  readonly chain: SourceChain
  readonly destinationChainId: number
  readonly payout: Payout
  readonly amount: bigint
  readonly recipient: string
  readonly txHash: string
}

type Issued = {
  readonly depositKey: string
  readonly paid: bigint
  /** Calldata of its redemption. */
  readonly call: string
}

const PAID_UNITS = 1_000_000n
const SIGNING = { everyMs: 3000, looksMax: 20 } as const
const BLOCKS_MAX = 2000

async function makeDeposit(tour: VoucherTour): Promise<Deposit> {
  const { source, destination } = tour
  const terms = await findTerms(tour)
  const { chain, token, payout, destinationChainId } = terms
  const amount = mulDiv(least(PAID_UNITS, payout.max), payout.div, payout.mul, 'ceil')
  const recipient = await destination.account()
  await fund(source, token, amount)
  await sent(source, token, callOf('approve', [chain.vault, amount]), 'the approval')
  const words = [token, amount, recipient, BigInt(destinationChainId)]
  const txHash = await sent(source, chain.vault, callOf('deposit', words), 'the deposit')
  return { chain, destinationChainId, payout, amount, recipient, txHash }
}

/** The first pair of tokens that the file has for the chains of the two nodes. */
async function findTerms({ config, source, destination }: VoucherTour) {
  const chain = config.chains.get(await source.chainId())
  const destinationChainId = await destination.chainId()
  if (chain?.event !== 'Deposit') {
    throw new Error('the VOUCHER file has no vault of event Deposit on the source node’s chain')
  }
  for (const [key, payout] of chain.payouts) {
    const [token = ''] = key.split(':')
    if (key === payoutKey(token, destinationChainId))
      return { chain, token, payout, destinationChainId }
  }
  throw new Error('the VOUCHER file has no payout on the destination node’s chain')
}

/** Sees to it that the account holds an amount of a token that anybody may mint, as test tokens are. */
async function fund(node: LocalNode, token: string, amount: bigint): Promise<void> {
  const account = await node.account()
  if ((await node.read(token, callOf('balanceOf', [account]))) >= amount) return
  await sent(node, token, callOf('mint', [account, amount]), 'the minting of test tokens')
}

async function pendingBlocks(tour: VoucherTour, deposit: Deposit): Promise<number> {
  const { status, blocksRemaining: blocks } = await askVoucher(tour, deposit)
  if (status !== 'pending' || typeof blocks !== 'number')
    throw new Error('a deposit that can still be taken back has a voucher')
  if (blocks > BLOCKS_MAX) throw new Error(`${blocks} blocks are more than the tour mines`)
  return blocks
}

/** Asks until it is signed: the server looks at the head of a chain every few seconds. */
function issuedVoucher(tour: VoucherTour, deposit: Deposit): Promise<Issued> {
  const look = async () => {
    const answer = await askVoucher(tour, deposit)
    return answer['status'] === 'issued' ? readIssued(answer) : null
  }
  return lookUntil({ ...tour, ...SIGNING }, look, 'the deposit is final and has no voucher')
}

async function askVoucher({ client }: VoucherTour, { chain, txHash }: Deposit) {
  const answer = await client.post('/api/relayer/voucher', { chainId: chain.chainId, txHash })
  return isObject(answer) ? answer : {}
}

function readIssued({ depositKey, voucher, signature }: Record<string, unknown>): Issued {
  const text = (name: string) => String(isObject(voucher) ? voucher[name] : undefined)
  const number = (name: string) => BigInt(text(name))
  const words: VoucherFields = [
    number('sourceChainId'),
    text('sourceVault'),
    number('depositId'),
    text('recipient'),
    text('token'),
    number('amount'),
    number('validUntil'),
  ]
  const call = redeemCall(words, String(signature))
  return { depositKey: String(depositKey), paid: number('amount'), call }
}

async function redeemOnce(
  { destination }: VoucherTour,
  { payout, recipient }: Deposit,
  { call, paid }: Issued,
): Promise<void> {
  const held = () => destination.read(payout.token, callOf('balanceOf', [recipient]))
  const before = await held()
  await sent(destination, payout.redeemer, call, 'the redemption')
  if ((await held()) - before !== paid) throw new Error('the redeemer did not pay the amount')
}

async function redeemTwice(
  { destination }: VoucherTour,
  { payout }: Deposit,
  { call }: Issued,
): Promise<void> {
  const { succeeded } = await destination.send(payout.redeemer, call)
  if (succeeded) throw new Error('the redeemer paid a second time')
}

/** Sends a transaction that has to succeed; answers its hash. */
async function sent(node: LocalNode, to: string, data: string, what: string): Promise<string> {
  const { txHash, succeeded } = await node.send(to, data)
  if (!succeeded) throw new Error(`${what} reverted`)
  return txHash
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function short(hash: string): string {
  return `${hash.slice(0, 10)}…`
}
