import { toPrefixedHex } from '../core/hex.ts'
import type { Clock, Log } from '../core/ports.ts'
import { recoverSigner } from '../crypto/wallet-signature.ts'
import { VOUCHER_LIMITS, type VoucherRefusalName } from '../spec/voucher.ts'
import type { DepositFacts, PayoutTerms, VoucherRow } from '../store/voucher/port.ts'
import { payoutKey } from './config.ts'
import type { VoucherDesk } from './desk.ts'
import { voucherDigest } from './digest.ts'
import { VoucherRefusal } from './refusal.ts'
import type { VoucherSigner } from './signer.ts'

/** A deposit that has been found final, and what it is to pay. */
export type Claim = DepositFacts & PayoutTerms & Pick<VoucherRow, 'depositKey'>

export type IssueDeps = {
  readonly clock: Clock
  readonly log: Log
  readonly desk: VoucherDesk
  readonly signer: VoucherSigner
}

/**
 * The voucher of a claim: the one that stands, or a new one, on the disk before the key is used, so that a crash
 * between the two leaves a row that the next request signs, with the same bytes.
 * Throws VoucherRefusal: under_review when the deposit is not what it was, unavailable when a cap is reached.
 */
export async function issue(deps: IssueDeps, claim: Claim): Promise<VoucherRow> {
  const verdict = deps.desk.store.atomically(() => decide(deps, claim))
  if ('refusal' in verdict) {
    const { refusal, reason } = verdict
    deps.log.error('voucher refused', { depositKey: claim.depositKey, reason })
    throw new VoucherRefusal(refusal)
  }
  return sign(deps, verdict.row)
}

/** Whether a voucher can be given out: for the key in use, and with enough time left to be redeemed. */
export function isUsable(row: VoucherRow, signer: string, nowMs: number): boolean {
  const lastMs = (row.validUntil - VOUCHER_LIMITS.reissueMarginSeconds) * 1000
  return row.signer === signer && nowMs < lastMs
}

type Verdict =
  | { readonly row: VoucherRow }
  | { readonly refusal: VoucherRefusalName; readonly reason: string }

function decide(deps: IssueDeps, claim: Claim): Verdict {
  const { desk, signer, clock } = deps
  const nowMs = clock.nowMs()
  if (desk.store.isPaused()) return { refusal: 'unavailable', reason: 'paused' }
  // A reorganisation can put another deposit where one was: the place in the chain belongs to one key as well.
  const kept = desk.store.byKey(claim.depositKey) ?? keptAt(desk, claim)
  if (!kept) return isWithinCap(desk, claim, nowMs) ? { row: first(deps, claim) } : CAP_REACHED
  if (kept.frozen) return { refusal: 'under_review', reason: 'frozen' }
  if (!isSame(FACTS, kept, claim)) return freeze(deps, kept)
  // The old redeemer may have paid already, and a new one would not know.
  if (!isSame(TERMS, kept, claim)) return { refusal: 'under_review', reason: 'terms changed' }
  return { row: isUsable(kept, signer.address, nowMs) ? kept : again(deps, kept) }
}

const CAP_REACHED: Verdict = { refusal: 'unavailable', reason: 'cap reached' }

// biome-ignore format: read as a list
const FACTS = [
  'depositKey', 'sourceChainId', 'sourceVault', 'depositId', 'txHash', 'logIndex', 'blockNumber', 'blockHash',
  'depositor', 'sourceToken', 'sourceAmount', 'recipient', 'destinationChainId',
] as const satisfies readonly (keyof Claim)[]

const TERMS = ['redeemer', 'token', 'amount'] as const satisfies readonly (keyof Claim)[]

function isSame(names: readonly (keyof Claim)[], kept: VoucherRow, claim: Claim): boolean {
  return names.every((name) => kept[name] === claim[name])
}

function keptAt({ store }: VoucherDesk, { sourceChainId, txHash, logIndex }: Claim) {
  const rows = store.byTransaction(sourceChainId, txHash)
  return rows.find((row) => row.logIndex === logIndex) ?? null
}

/** Caps count what is issued for the first time: issuing again cannot pay twice. */
function isWithinCap({ config, store }: VoucherDesk, claim: Claim, nowMs: number): boolean {
  const { destinationChainId, token, amount } = claim
  const cap = config.caps.get(payoutKey(token, destinationChainId)) ?? 0n
  const sinceMs = nowMs - VOUCHER_LIMITS.capWindowMs
  return store.paidSince(destinationChainId, token, sinceMs) + amount <= cap
}

function first(deps: IssueDeps, claim: Claim): VoucherRow {
  const nowMs = deps.clock.nowMs()
  return write(deps, 'issued', { ...claim, generation: 1, createdAtMs: nowMs })
}

function again(deps: IssueDeps, kept: VoucherRow): VoucherRow {
  return write(deps, 'reissued', { ...kept, generation: kept.generation + 1 })
}

function write(
  { desk, signer, clock }: IssueDeps,
  event: 'issued' | 'reissued',
  base: Claim & Pick<VoucherRow, 'generation' | 'createdAtMs'>,
): VoucherRow {
  const nowMs = clock.nowMs()
  const validUntil = Math.floor(nowMs / 1000) + desk.config.validitySeconds
  const row: VoucherRow = {
    ...base,
    validUntil,
    digest: toPrefixedHex(voucherDigest({ ...base, validUntil })),
    signature: null,
    signer: signer.address,
    updatedAtMs: nowMs,
    frozen: false,
  }
  desk.store.put(row)
  desk.store.record({ atMs: nowMs, event, row })
  return row
}

function freeze({ desk, clock }: IssueDeps, kept: VoucherRow): Verdict {
  const nowMs = clock.nowMs()
  desk.store.freeze(kept.depositKey, nowMs)
  desk.store.record({ atMs: nowMs, event: 'frozen', row: kept })
  return { refusal: 'under_review', reason: 'facts changed' }
}

/** Uses the key, unless an earlier run has: on what the row says now, not on the digest it was stored with. */
async function sign({ desk, signer, clock }: IssueDeps, row: VoucherRow): Promise<VoucherRow> {
  if (row.signature !== null) return row
  const digest = voucherDigest(row)
  if (toPrefixedHex(digest) !== row.digest)
    throw new Error('a stored voucher does not match its digest')
  const signature = await signer.sign(digest)
  // A signature that a fault spoilt can give the key away.
  if (recoverSigner(digest, signature) !== signer.address)
    throw new Error('the signer signed wrongly')
  desk.store.seal(row.depositKey, row.digest, signature, clock.nowMs())
  return { ...row, signature }
}
