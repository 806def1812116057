import type { FailureCode } from '../../contract/failures.ts'
import { ROUTES } from '../../contract/routes.ts'
import { VOUCHER_REFUSALS, type VoucherRefusalName } from '../../contract/voucher.ts'
import { isObject } from '../../core/json.ts'
import { ClientFailure } from '../client/client.ts'
import { type Tool, ToolFailure } from '../tool.ts'
import { argumentSchema, optional, text, wholeNumber } from '../tool-arguments.ts'
import { publicTool } from '../tool-kinds.ts'

const getVoucher = publicTool({
  name: 'get_redemption_voucher',
  description:
    'Voucher of a deposit that a wallet made into the operator’s vault: what it pays, where, to whom and until when, with its signature. pending: ask again after blocksRemaining.',
  arguments: argumentSchema({
    chain_id: wholeNumber('Chain of the deposit.', { minimum: 1 }),
    tx_hash: text('Of the deposit: 0x and 64 hex.'),
    log_index: optional(wholeNumber('Which deposit, when it holds several.', { minimum: 0 })),
  }),
  run: async ({ client }, { chain_id, tx_hash, log_index }) => {
    const body = {
      chainId: chain_id,
      txHash: tx_hash,
      ...(log_index !== undefined && { logIndex: log_index }),
    }
    try {
      return voucherShown(await client.post(ROUTES.voucher.path, body))
    } catch (error) {
      throw voucherRefusal(error) ?? error
    }
  },
})

/** Tools about vouchers. With a voucher, the owner of a deposit redeems it on a different chain. */
export const VOUCHER_TOOLS: readonly Tool[] = [getVoucher]

const NEXT = {
  issued:
    'Show this to the user. Any wallet can redeem it at domain.verifyingContract, before validUntil; nothing here sends it.',
  pending: 'The deposit could still be taken back. Ask again in 15 s.',
} as const

/** The voucher without its EIP-712 types and digest, which only wallets use. */
function voucherShown(answer: unknown) {
  if (!isObject(answer)) return {}
  const { types: _, primaryType: __, digest: ___, ...shown } = answer
  return { ...shown, next: shown['status'] === 'pending' ? NEXT.pending : NEXT.issued }
}

type RefusalMeaning = readonly [code: FailureCode, next: string]

const REPORT_STEP = 'Tell the user; do not repeat it.'
const OPERATOR_STEP = 'Tell the user to ask the operator of this service.'

/** The failure code and next step per refusal of the voucher route, which answers without codes. */
const MEANINGS: Readonly<Partial<Record<VoucherRefusalName, RefusalMeaning>>> = {
  malformed: ['invalid_request', 'tx_hash is 0x and 64 hex characters.'],
  unsupported_chain: ['unsupported_chain', REPORT_STEP],
  several_deposits: ['invalid_request', 'Ask the user which one, and pass log_index.'],
  unknown_transaction: ['not_found', 'Check chain_id and tx_hash; a new one can take a minute.'],
  under_review: ['account_restricted', OPERATOR_STEP],
  reverted: ['venue_rejected', REPORT_STEP],
  no_deposit: ['venue_rejected', REPORT_STEP],
  not_redeemable: ['venue_rejected', REPORT_STEP],
  unreadable: [
    'upstream_unavailable',
    'Nothing was changed. Wait retryAfterSeconds, then call again.',
  ],
  unavailable: ['not_configured', OPERATOR_STEP],
}

function voucherRefusal(error: unknown): ToolFailure | null {
  if (!(error instanceof ClientFailure)) return null
  const row = Object.entries(VOUCHER_REFUSALS).find(
    ([, refusal]) => refusal.error === error.message,
  )
  const meaning = Object.entries(MEANINGS).find(([name]) => name === row?.[0])?.[1]
  if (!meaning) return null
  const [code, next] = meaning
  const { retryAfterSeconds } = error
  return new ToolFailure({
    error: error.message,
    code,
    retryable: code === 'upstream_unavailable',
    meta: { next, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  })
}
