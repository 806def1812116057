import type { Log } from '../../core/ports.ts'
import type { SourceChain } from './config.ts'
import { toDepositKey } from './digest.ts'
import { isServed, parseDeposits, payoutTerms, type VaultDeposit } from './events.ts'
import type { DepositClaim } from './issue.ts'
import { type Agreement, combinedViews, unlessReorganised } from './quorum.ts'
import { VoucherRefusal } from './refusal.ts'
import type { VoucherService } from './service.ts'

/** A deposit to check: its transaction, and the log entry if the request names one. */
type RequestedDeposit = {
  readonly deps: { readonly log: Log }
  readonly service: VoucherService
  readonly chain: SourceChain
  readonly txHash: string
  readonly logIndex: number | undefined
}

type MinedAgreement = Extract<Agreement, { kind: 'mined' }>

/**
 * The receipt of a deposit on which a quorum of endpoints agrees. Throws VoucherRefusal for an unknown transaction, and if
 * the endpoints disagree or do not answer.
 */
export async function readReceipt({
  deps,
  service,
  chain,
  txHash,
}: RequestedDeposit): Promise<MinedAgreement> {
  const { chainId } = chain
  const key = `${chainId}:${txHash}`
  if (service.unknown.has(key)) throw new VoucherRefusal('unknown_transaction')
  const views = await service.chains.read(chainId, txHash)
  for (const [endpoint, view] of views.map(unlessReorganised).entries()) {
    if (view.kind !== 'failed') continue
    deps.log.warn('voucher endpoint unusable', { chainId, endpoint, fault: view.fault })
  }
  const agreement = combinedViews(views, chain.quorum)
  if (agreement.kind === 'mined') return agreement
  if (agreement.kind === 'absent') {
    service.unknown.add(key)
    throw new VoucherRefusal('unknown_transaction')
  }
  const isAlarm = agreement.reason === 'disagreement'
  if (isAlarm) service.disagreements.add()
  const log = isAlarm ? deps.log.error : deps.log.warn
  log('voucher chain unsafe', { chainId, reason: agreement.reason })
  throw new VoucherRefusal('unreadable')
}

/** The requested deposit and its payout. Throws VoucherRefusal for a deposit that the vault did not log. */
export async function prepareClaim(
  { service, chain, txHash, logIndex }: RequestedDeposit,
  read: MinedAgreement,
): Promise<DepositClaim> {
  const { receipt, minedAtSeconds } = read
  if (!receipt.succeeded) throw new VoucherRefusal('reverted')
  const deposits = parseDeposits(receipt, chain)
  const deposit = chosenDeposit(deposits, logIndex)
  const isPayable = receipt.blockNumber >= chain.startBlock && isServed(deposit, chain)
  if (!isPayable || deposit.token === null) throw new VoucherRefusal('not_redeemable')
  const facts = {
    sourceChainId: chain.chainId,
    sourceVault: chain.vault,
    depositId: deposit.depositId,
    txHash,
    logIndex: deposit.logIndex,
    txDeposits: deposits.length,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    depositor: deposit.depositor,
    sourceToken: deposit.token,
    sourceAmount: deposit.amount,
    recipient: deposit.recipient,
    destinationChainId: Number(deposit.destinationChainId),
  }
  const depositKey = toDepositKey(facts)
  const terms = payoutTerms(deposit, chain)
  // An issued voucher keeps its terms, even if the configuration now pays nothing.
  if (!terms && !(await service.store.byKey(depositKey))) throw new VoucherRefusal('not_redeemable')
  return {
    ...facts,
    depositKey,
    terms,
    payableUntil: Number(minedAtSeconds) + chain.payableSeconds,
  }
}

function chosenDeposit(
  deposits: readonly VaultDeposit[],
  logIndex: number | undefined,
): VaultDeposit {
  const [first, second] =
    logIndex === undefined ? deposits : deposits.filter((other) => other.logIndex === logIndex)
  if (!first) throw new VoucherRefusal('no_deposit')
  if (second) throw new VoucherRefusal('several_deposits')
  return first
}
