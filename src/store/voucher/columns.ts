import type { VoucherRow } from './port.ts'

/** Each column and the member of a row that it keeps. */
export const COLUMNS = {
  deposit_key: 'depositKey',
  source_chain_id: 'sourceChainId',
  source_vault: 'sourceVault',
  deposit_id: 'depositId',
  tx_hash: 'txHash',
  log_index: 'logIndex',
  tx_deposits: 'txDeposits',
  block_number: 'blockNumber',
  block_hash: 'blockHash',
  depositor: 'depositor',
  source_token: 'sourceToken',
  source_amount: 'sourceAmount',
  recipient: 'recipient',
  destination_chain_id: 'destinationChainId',
  redeemer: 'redeemer',
  token: 'token',
  amount: 'amount',
  generation: 'generation',
  valid_until: 'validUntil',
  digest: 'digest',
  signature: 'signature',
  signer: 'signer',
  created_at: 'createdAtMs',
  updated_at: 'updatedAtMs',
  redeemable_until: 'redeemableUntil',
  payable_until: 'payableUntil',
  hold: 'hold',
  released: 'released',
} as const satisfies Record<string, keyof VoucherRow>

/** What a row that is there takes of the one that was to be inserted. */
export const ASSIGNED = Object.keys(COLUMNS)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')

type BigName = 'depositId' | 'blockNumber' | 'sourceAmount' | 'amount'
/** A row as tables keep it: what has 256 bits as decimal text. */
export type Kept = Omit<VoucherRow, BigName | 'released'> &
  Record<BigName, string> & { released: number }

export function rowOf(kept: Kept): VoucherRow {
  return {
    ...kept,
    depositId: BigInt(kept.depositId),
    blockNumber: BigInt(kept.blockNumber),
    sourceAmount: BigInt(kept.sourceAmount),
    amount: BigInt(kept.amount),
    released: kept.released === 1,
  }
}

export function keptOf(row: VoucherRow): Kept {
  return {
    ...row,
    depositId: row.depositId.toString(),
    blockNumber: row.blockNumber.toString(),
    sourceAmount: row.sourceAmount.toString(),
    amount: row.amount.toString(),
    released: row.released ? 1 : 0,
  }
}
