import { PENDING_RETRY_SECONDS, VOUCHER_DOMAIN, VOUCHER_FIELDS } from '../../contract/voucher.ts'
import { toEip55 } from '../../core/crypto/checksum.ts'
import type { VoucherRow } from '../../store/voucher/port.ts'
import { type Answer, privateAnswer, uncachedAnswer } from '../cache/answer.ts'
import type { Scrub } from '../scrub/scrub.ts'

/** The answer with a signed voucher, and all values that are needed to redeem it or to verify its signature. */
export function issuedAnswer(scrub: Scrub, row: VoucherRow): Answer {
  if (row.signature === null) throw new Error('a voucher without a signature is no answer')
  const body = {
    status: 'issued',
    depositKey: row.depositKey,
    voucher: {
      sourceChainId: String(row.sourceChainId),
      sourceVault: toEip55(row.sourceVault),
      depositId: String(row.depositId),
      recipient: toEip55(row.recipient),
      token: toEip55(row.token),
      amount: String(row.amount),
      validUntil: String(row.validUntil),
    },
    domain: {
      ...VOUCHER_DOMAIN,
      chainId: row.destinationChainId,
      verifyingContract: toEip55(row.redeemer),
    },
    primaryType: 'RedemptionVoucher',
    types: { RedemptionVoucher: VOUCHER_FIELDS },
    digest: row.digest,
    signature: row.signature,
    signer: toEip55(row.signer),
  }
  return privateAnswer({ scrub }, body)
}

/** The answer for a mined deposit that is not final yet. */
export function pendingAnswer(scrub: Scrub, blocksRemaining: bigint): Answer {
  const body = { status: 'pending', blocksRemaining: Number(blocksRemaining) }
  const headers = { 'retry-after': String(PENDING_RETRY_SECONDS) }
  return { ...uncachedAnswer(scrub.value(body, { audience: 'private' }), headers), status: 202 }
}
