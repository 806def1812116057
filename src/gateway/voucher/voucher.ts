import type { VoucherBody } from '../../contract/voucher.ts'
import type { Clock, Log } from '../../core/ports.ts'
import type { VoucherRow } from '../../store/voucher/port.ts'
import type { Answer } from '../cache/answer.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { issuedAnswer, pendingAnswer } from './answer.ts'
import type { SourceChain } from './config.ts'
import { prepareClaim, readReceipt } from './deposit-check.ts'
import { serviceFigures, type VoucherMetric } from './figures.ts'
import { issueVoucher, isUsable } from './issue.ts'
import { areVouchersStopped } from './pause.ts'
import { VoucherRefusal } from './refusal.ts'
import type { VoucherService } from './service.ts'
import type { VoucherSigners } from './signers.ts'

/** Access for the voucher verb; without a service, vouchers are off. */
export type VoucherAccess = {
  readonly clock: Clock
  readonly log: Log
  readonly scrub: Scrub
  readonly service: VoucherService | null
}

/** The voucher product for the routes. */
export type Vouchers = {
  /** See `requestVoucher`. Throws VoucherRefusal. */
  readonly issue: (body: VoucherBody) => Promise<Answer>
  /** The operator's metrics; empty if vouchers are off. */
  readonly figures: () => Promise<readonly VoucherMetric[]>
}

/** Creates the voucher product. Without a service, every request is refused. */
export function createVouchers(deps: VoucherAccess): Vouchers {
  const { service, clock } = deps
  return {
    issue: (body) => requestVoucher(deps, body),
    figures: async () => (service ? serviceFigures(service, clock) : []),
  }
}

/**
 * Returns the voucher of a deposit that a quorum of endpoints calls final. The body only identifies the transaction;
 * recipient and amount come from the vault's event. Throws VoucherRefusal. Answers:
 * - 200 with `{status: "issued", depositKey, voucher, domain, primaryType, types, digest, signature, signer}`, the same
 *   bytes for the same deposit until shortly before the voucher expires.
 * - 202 with `{status: "pending", blocksRemaining}` while the deposit is not final.
 */
async function requestVoucher(deps: VoucherAccess, body: VoucherBody): Promise<Answer> {
  const { service } = deps
  if (!service?.signers) throw new VoucherRefusal('unavailable')
  const chain = service.config.chains.get(body.chainId)
  if (!chain) throw new VoucherRefusal('unsupported_chain')
  const order = { deps, service, signers: service.signers, chain, ...requestedLog(body) }
  const key = `${order.chain.chainId}:${order.txHash}:${order.logIndex ?? ''}`
  return service.flights.join(key, () => answerOrder(order))
}

/** A request and the parts that are needed to answer it. */
type VoucherRequest = {
  readonly deps: VoucherAccess
  readonly service: VoucherService
  readonly signers: VoucherSigners
  readonly chain: SourceChain
  readonly txHash: string
  readonly logIndex: number | undefined
}

function requestedLog({
  txHash,
  logIndex,
}: VoucherBody): Pick<VoucherRequest, 'txHash' | 'logIndex'> {
  return { txHash: txHash.toLowerCase(), logIndex }
}

async function answerOrder(order: VoucherRequest): Promise<Answer> {
  const { deps, service, chain } = order
  if (await areVouchersStopped(service.store)) throw new VoucherRefusal('unavailable')
  const kept = await findKeptVoucher(order)
  if (kept) return issuedAnswer(deps.scrub, kept)
  const read = await readReceipt(order)
  const claim = await prepareClaim(order, read)
  const blocksRemaining = claim.blockNumber - read.finalNumber
  if (blocksRemaining > 0n) return pendingAnswer(deps.scrub, blocksRemaining)
  const row = await issueVoucher({ ...deps, service: service, signers: order.signers }, claim)
  deps.log.info('voucher issued', { chainId: chain.chainId, generation: row.generation })
  return issuedAnswer(deps.scrub, row)
}

/**
 * The existing signed voucher, if it can still be redeemed; else null. Such a voucher was returned before, so the chain
 * is not read again. Throws VoucherRefusal.
 */
async function findKeptVoucher({
  deps,
  service,
  signers,
  chain,
  txHash,
  logIndex,
}: VoucherRequest): Promise<VoucherRow | null> {
  const rows = await service.store.byTransaction(chain.chainId, txHash)
  const [row] = rows.filter((other) => logIndex === undefined || other.logIndex === logIndex)
  if (!row) return null
  if (logIndex === undefined && row.txDeposits > 1) throw new VoucherRefusal('several_deposits')
  if (row.hold) throw new VoucherRefusal('under_review')
  if (row.blockNumber < chain.startBlock) throw new VoucherRefusal('not_redeemable')
  const usable = isUsable(row, signers, deps.clock.nowMs())
  return usable && row.signature !== null ? row : null
}
