import { VOUCHER_FIELDS } from '../../contract/voucher.ts'
import { callWithBytes, toCalldata } from '../../core/crypto/calldata.ts'
import { mulDiv } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { payoutKey } from '../../gateway/voucher/config.ts'
import { pollUntil } from '../command/steps.ts'
import { numbered } from '../command/tables.ts'
import type { Tour, VoucherNodes } from './context.ts'
import type { LocalNode } from './local-node.ts'

/** The contracts' functions that the tour calls. A voucher argument is its signed fields, one word each. */
const ABI = {
  balanceOf: 'balanceOf(address)',
  mint: 'mint(address,uint256)',
  approve: 'approve(address,uint256)',
  deposit: 'deposit(address,uint256,address,uint256)',
  redeem: 'redeem((uint256,address,uint256,address,address,uint256,uint256),bytes)',
} as const
const PAID_UNITS = 1_000_000n
const SIGNING = { everyMs: 3000, pollsMax: 20 } as const
const BLOCKS_MAX = 2000

/** Makes a deposit on the source node. Its amount gives a payout of a round number of units on the destination node. */
export async function makeDeposit(tour: Tour): Promise<string> {
  const nodes = tour.nodes.get()
  const { chain, token, payout, destinationChainId } = await findTerms(nodes)
  const paid = payout.max < PAID_UNITS ? payout.max : PAID_UNITS
  const amount = mulDiv(paid, payout.div, payout.mul, 'ceil')
  const recipient = await nodes.destination.account()
  await fund(nodes.source, token, amount)
  await sent(nodes.source, token, toCalldata(ABI.approve, [chain.vault, amount]), 'the approval')
  const call = toCalldata(ABI.deposit, [token, amount, recipient, BigInt(destinationChainId)])
  const txHash = await sent(nodes.source, chain.vault, call, 'the deposit')
  tour.deposit.set({ chain, destinationChainId, payout, recipient, txHash })
  return `${amount} units on chain ${chain.chainId} in ${txHash.slice(0, 10)}…`
}

/** The first token pair in the voucher file for the chains of the two nodes. */
async function findTerms({ config, source, destination }: VoucherNodes) {
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

/** Mints test tokens if the account holds less than an amount. */
async function fund(node: LocalNode, token: string, amount: bigint): Promise<void> {
  const account = await node.account()
  if ((await node.read(token, toCalldata(ABI.balanceOf, [account]))) >= amount) return
  await sent(node, token, toCalldata(ABI.mint, [account, amount]), 'the minting of test tokens')
}

/** Requests the voucher of a deposit that is not final. The server must refuse. */
export async function expectPending(tour: Tour): Promise<string> {
  const { status, blocksRemaining: blocks } = await askVoucher(tour)
  if (status !== 'pending' || typeof blocks !== 'number')
    throw new Error('a deposit that can still be taken back has a voucher')
  if (blocks > BLOCKS_MAX) throw new Error(`${blocks} blocks are more than the tour mines`)
  return `not yet: the deposit is final in ${numbered(tour.blocksLeft.set(blocks), 'block')}`
}

export async function mineBlocks(tour: Tour): Promise<string> {
  const blocks = tour.blocksLeft.get()
  for (let mined = 0; mined < blocks; mined++) await tour.nodes.get().source.mine()
  return `${numbered(blocks, 'block')} mined on top of it`
}

/** Polls until the voucher is signed. The server reads each chain's head every few seconds. */
export async function awaitVoucher(tour: Tour): Promise<string> {
  const poll = async () => {
    const answer = await askVoucher(tour)
    return answer['status'] === 'issued' ? answer : null
  }
  const late = 'the deposit is final and has no voucher'
  const { depositKey, voucher, signature } = await pollUntil({ ...tour, ...SIGNING }, poll, late)
  const fieldInteger = (field: string) =>
    BigInt(String(isObject(voucher) ? voucher[field] : undefined))
  const call = callWithBytes(
    ABI.redeem,
    VOUCHER_FIELDS.map(({ name }) => fieldInteger(name)),
    String(signature),
  )
  const { paid } = tour.issued.set({ paid: fieldInteger('amount'), call })
  return `signed: ${String(depositKey).slice(0, 10)}… pays ${paid} units`
}

async function askVoucher({ client, deposit }: Tour) {
  const { chain, txHash } = deposit.get()
  const answer = await client.post('/api/relayer/voucher', { chainId: chain.chainId, txHash })
  return isObject(answer) ? answer : {}
}

export async function redeem(tour: Tour): Promise<string> {
  const { destination } = tour.nodes.get()
  const { payout, recipient, destinationChainId } = tour.deposit.get()
  const { call, paid } = tour.issued.get()
  const held = () => destination.read(payout.token, toCalldata(ABI.balanceOf, [recipient]))
  const before = await held()
  await sent(destination, payout.redeemer, call, 'the redemption')
  if ((await held()) - before !== paid) throw new Error('the redeemer did not pay the amount')
  return `${paid} units arrived on chain ${destinationChainId}`
}

/** Tries to redeem the same voucher again. The transaction must revert. */
export async function redeemAgain(tour: Tour): Promise<string> {
  const { redeemer } = tour.deposit.get().payout
  const { succeeded } = await tour.nodes.get().destination.send(redeemer, tour.issued.get().call)
  if (succeeded) throw new Error('the redeemer paid a second time')
  return 'the redeemer refused: one deposit, one payment'
}

/** Sends a transaction that must succeed, and returns its hash. */
async function sent(node: LocalNode, to: string, data: string, what: string): Promise<string> {
  const { txHash, succeeded } = await node.send(to, data)
  if (!succeeded) throw new Error(`${what} reverted`)
  return txHash
}
