import { VOUCHER_LIMITS, type VoucherRefusalName } from '../../contract/voucher.ts'
import { keccak256 } from '../../core/crypto/keccak.ts'
import { recoverSigner } from '../../core/crypto/wallet-signature.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import type { Clock, Log } from '../../core/ports.ts'
import type {
  DepositFacts,
  PaidToken,
  PayoutTerms,
  VoucherBooks,
  VoucherRow,
} from '../../store/voucher/port.ts'
import { payoutKey, type VoucherConfig } from './config.ts'
import { voucherDigest, voucherMessage } from './digest.ts'
import { VoucherRefusal } from './refusal.ts'
import type { VoucherService } from './service.ts'
import type { VoucherSigner, VoucherSigners } from './signers.ts'

/** A final deposit, its payout by the current configuration (null: unpaid), and the time until which it may be paid. */
export type DepositClaim = DepositFacts & {
  readonly depositKey: string
  readonly terms: PayoutTerms | null
  readonly payableUntil: number
}

export type IssueAccess = {
  readonly clock: Clock
  readonly log: Log
  readonly service: VoucherService
  readonly signers: VoucherSigners
}

/**
 * Returns the existing voucher of a deposit, or issues a new one. A new voucher is durable before it is signed; after a
 * crash in between, the next request signs the same bytes. Later configuration changes do not affect an issued voucher,
 * because only the redeemer knows whether it has paid. Throws VoucherRefusal:
 * - under_review for a held deposit.
 * - unavailable if vouchers are paused, if the store is not adopted, if signers conflict, or if a cap is reached.
 * - not_redeemable if the deposit pays nothing or too much, or after the last second for signing.
 */
export async function issueVoucher(deps: IssueAccess, claim: DepositClaim): Promise<VoucherRow> {
  const { store } = deps.service
  const signer = await deps.signers.current()
  const verdict = signer
    ? await store.atomically(
        (books) => decideVoucher({ ...deps, signer, books }, claim),
        (decided) => 'row' in decided,
      )
    : NO_SIGNER
  if ('row' in verdict) return signRow(deps, verdict.row)
  const { refusal, reason } = verdict
  const log = refusal === 'not_redeemable' ? deps.log.info : deps.log.error
  log('voucher refused', { depositKey: claim.depositKey, reason })
  throw new VoucherRefusal(refusal)
}

/** Whether a voucher can be returned: this instance has its key, and enough time is left to redeem it. */
export function isUsable(row: VoucherRow, signers: VoucherSigners, nowMs: number): boolean {
  const lastMs = (row.validUntil - VOUCHER_LIMITS.reissueMarginSeconds) * 1000
  return signers.find(row.signer) !== null && nowMs < lastMs
}

/** Whether all vouchers of a deposit have expired, even if the chain's clock differs from this machine's clock. */
export function isSpent({ redeemableUntil }: VoucherRow, nowMs: number): boolean {
  return nowMs > redeemableUntil * 1000 + VOUCHER_LIMITS.clockSkewMaxMs
}

type CapAccess = {
  readonly books: VoucherBooks
  readonly clock: Clock
  readonly config: VoucherConfig
}

/** Vouchers that are redeemable at this second or later use a cap. */
function capSinceSeconds(nowMs: number): number {
  const { capWindowSeconds, clockSkewMaxMs } = VOUCHER_LIMITS
  return Math.floor((nowMs - clockSkewMaxMs) / 1000) - capWindowSeconds
}

/** After a loss of vouchers at or after this time, lost vouchers may use the caps. */
export function lossCountsSinceMs(nowMs: number, validitySeconds: number): number {
  return (capSinceSeconds(nowMs) - validitySeconds) * 1000
}

/**
 * The cap of a token, and the used amount. Vouchers use the cap until 24 hours after they expire, plus a tolerance for
 * clock skew. The vouchers of the deposit `exceptKey` are left out. `isLost`: lost vouchers of an unknown amount may use
 * the rest of the cap.
 */
export async function readCapUse(
  { books, clock, config }: CapAccess,
  paid: PaidToken,
  exceptKey?: string,
): Promise<{ readonly cap: bigint; readonly used: bigint; readonly isLost: boolean }> {
  const nowMs = clock.nowMs()
  const cap = config.caps.get(payoutKey(paid.token, paid.destinationChainId)) ?? 0n
  return {
    cap,
    isLost: await books.hasLostSince(lossCountsSinceMs(nowMs, config.validitySeconds)),
    used: await books.redeemableSince(paid, capSinceSeconds(nowMs), exceptKey),
  }
}

type Refused = { readonly refusal: VoucherRefusalName; readonly reason: string }
type Verdict = { readonly row: VoucherRow } | Refused

/** A different instance signs with a key that this instance does not have. */
const NO_SIGNER: Refused = { refusal: 'unavailable', reason: 'signer conflict' }

/** Access inside the deciding transaction. */
type DecidingAccess = IssueAccess & { readonly books: VoucherBooks; readonly signer: VoucherSigner }

async function decideVoucher(deps: DecidingAccess, claim: DepositClaim): Promise<Verdict> {
  const { books, signers, clock } = deps
  // Checks again, because the store may have lost entries since the request began.
  if (!(await books.isAdopted())) return { refusal: 'unavailable', reason: 'not adopted' }
  if (await books.isPaused()) return { refusal: 'unavailable', reason: 'paused' }
  // Also looks for a voucher with the same position on the chain. After a reorganisation, the position can have a
  // different deposit.
  const kept = (await books.byKey(claim.depositKey)) ?? (await findKeptAt(books, claim))
  if (!kept) return issueFirst(deps, claim)
  if (kept.hold) return { refusal: 'under_review', reason: kept.hold }
  if (kept.released && kept.depositKey === claim.depositKey) return issueAnew(deps, claim, kept)
  if (!isSame(kept, claim)) return holdDeposit(deps, kept)
  if (isUsable(kept, signers, clock.nowMs())) return { row: kept }
  return writeDraft(deps, 'reissued', { ...kept, ...continuedValues(kept, claim) })
}

// biome-ignore format: read as a list
const FACTS = [
  'depositKey', 'sourceChainId', 'sourceVault', 'depositId', 'txHash', 'logIndex', 'blockNumber', 'blockHash',
  'depositor', 'sourceToken', 'sourceAmount', 'recipient', 'destinationChainId',
] as const satisfies readonly (keyof DepositClaim)[]

function isSame(kept: VoucherRow, claim: DepositClaim): boolean {
  return FACTS.every((name) => kept[name] === claim[name])
}

async function findKeptAt(books: VoucherBooks, { sourceChainId, txHash, logIndex }: DepositClaim) {
  const rows = await books.byTransaction(sourceChainId, txHash)
  return rows.find((row) => row.logIndex === logIndex) ?? null
}

const NOT_PAID: Refused = { refusal: 'not_redeemable', reason: 'pays nothing, or too much' }

async function issueFirst(
  deps: DecidingAccess,
  { terms, ...facts }: DepositClaim,
): Promise<Verdict> {
  if (!terms) return NOT_PAID
  const beginning = { generation: 1, createdAtMs: deps.clock.nowMs(), redeemableUntil: 0 }
  return writeDraft(deps, 'issued', { ...facts, ...terms, ...beginning })
}

/** Issues a voucher from the current facts and terms, once all earlier vouchers have expired. */
async function issueAnew(
  deps: DecidingAccess,
  claim: DepositClaim,
  kept: VoucherRow,
): Promise<Verdict> {
  if (!isSpent(kept, deps.clock.nowMs())) {
    return { refusal: 'under_review', reason: 'released, but an earlier voucher can be redeemed' }
  }
  const { terms, ...facts } = claim
  return terms
    ? writeDraft(deps, 'reissued', { ...facts, ...terms, ...continuedValues(kept, claim) })
    : NOT_PAID
}

/** The values that a new voucher takes over from earlier vouchers. `payableUntil` may become earlier, never later. */
function continuedValues(kept: VoucherRow, claim: DepositClaim) {
  const { createdAtMs, redeemableUntil } = kept
  const payableUntil = Math.min(kept.payableUntil ?? claim.payableUntil, claim.payableUntil)
  return { generation: kept.generation + 1, createdAtMs, redeemableUntil, payableUntil }
}

type Draft = DepositFacts &
  PayoutTerms &
  Pick<VoucherRow, 'depositKey' | 'generation' | 'createdAtMs' | 'redeemableUntil'> & {
    readonly payableUntil: number
  }

const LOST_REASON = 'lost vouchers may use the whole cap'

/** Stores an unsigned voucher, unless it is too late or the cap is reached. */
async function writeDraft(
  deps: DecidingAccess,
  event: 'issued' | 'reissued',
  draft: Draft,
): Promise<Verdict> {
  const { service, books, signer, clock } = deps
  const nowMs = clock.nowMs()
  const nowSeconds = Math.floor(nowMs / 1000)
  if (nowSeconds + VOUCHER_LIMITS.reissueMarginSeconds >= draft.payableUntil) {
    return { refusal: 'not_redeemable', reason: 'too late' }
  }
  // A deposit counts once, however often its voucher was reissued.
  const { cap, used, isLost } = await readCapUse(
    { books, clock, config: service.config },
    draft,
    draft.depositKey,
  )
  if (isLost) return { refusal: 'unavailable', reason: LOST_REASON }
  if (used + draft.amount > cap) return { refusal: 'unavailable', reason: 'cap reached' }
  const validUntil = Math.min(nowSeconds + service.config.validitySeconds, draft.payableUntil)
  const row: VoucherRow = {
    ...draft,
    validUntil,
    redeemableUntil: Math.max(draft.redeemableUntil, validUntil),
    digest: toPrefixedHex(voucherDigest({ ...draft, validUntil })),
    signature: null,
    signer: signer.address,
    updatedAtMs: nowMs,
    hold: null,
    released: false,
  }
  await books.put(row)
  await books.record({ atMs: nowMs, event, row })
  return { row }
}

async function holdDeposit({ books, clock }: DecidingAccess, kept: VoucherRow): Promise<Verdict> {
  const nowMs = clock.nowMs()
  const reason = 'facts changed'
  await books.hold(kept.depositKey, reason, nowMs)
  await books.record({ atMs: nowMs, event: 'held', row: kept })
  return { refusal: 'under_review', reason }
}

/** Signs a row that is not signed yet. The signature covers the row's values, which must match the stored digest. */
async function signRow(
  { service, signers, clock }: IssueAccess,
  row: VoucherRow,
): Promise<VoucherRow> {
  if (row.signature !== null) return row
  const signer = signers.find(row.signer)
  if (!signer) throw new Error('a voucher to be signed is of a foreign key')
  const message = voucherMessage(row)
  const digest = keccak256(message)
  if (toPrefixedHex(digest) !== row.digest)
    throw new Error('a stored voucher does not match its digest')
  const signature = await signer.sign(message)
  // Verifies the signature, because a faulty signature can reveal the key.
  if (recoverSigner(digest, signature) !== signer.address)
    throw new Error('the signer signed wrongly')
  await service.store.putSignature(row.depositKey, row.digest, signature, clock.nowMs())
  // A remote signer may produce different signatures, so every caller gets the signature that was stored first.
  const kept = await service.store.byKey(row.depositKey)
  return kept?.digest === row.digest && kept.signature !== null ? kept : { ...row, signature }
}
