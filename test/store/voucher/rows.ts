import type { VoucherRow } from '../../../src/store/voucher/port.ts'

export const hash = (digit: string) => `0x${digit.repeat(64)}`
/** The largest amount that a chain can write. */
export const MAX = 2n ** 256n - 1n
/** What a voucher is paid in, and where. */
export const PAID = { destinationChainId: 902, token: '0xpaid' }

/** A voucher that is not signed yet, but for the parts that are given. */
export function row(part: Partial<VoucherRow> = {}): VoucherRow {
  return {
    depositKey: hash('1'),
    sourceChainId: 901,
    sourceVault: '0xvault',
    depositId: MAX,
    txHash: hash('2'),
    logIndex: 3,
    txDeposits: 1,
    blockNumber: 2n ** 64n,
    blockHash: hash('3'),
    depositor: '0xdepositor',
    sourceToken: '0xsource',
    sourceAmount: MAX - 1n,
    recipient: '0xrecipient',
    ...PAID,
    redeemer: '0xredeemer',
    amount: MAX - 2n,
    generation: 1,
    validUntil: 1_800_000_000,
    digest: hash('4'),
    signature: null,
    signer: '0xsigner',
    createdAtMs: 1_800_000_000_000,
    updatedAtMs: 1_800_000_000_001,
    redeemableUntil: 1_800_000_000,
    payableUntil: null,
    hold: null,
    released: false,
    ...part,
  }
}
