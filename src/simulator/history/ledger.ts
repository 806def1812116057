import type { Move, Transfer, Withdrawal } from '../state/observer.ts'
import type { AssetRow, SettlementRow, TransferRow } from './account-rows.ts'
import { createTableJournal, type TableJournal } from './journal.ts'
import type { AccountRows, PastRows } from './past-rows.ts'
import { hasHistory } from './records.ts'
import { ASSET_ROWS, SETTLEMENT_ROWS, TRANSFER_ROWS } from './row-kinds.ts'

/**
 * An account's latest deposits, withdrawals, transfers and settlements, oldest first. Earlier rows are in the store.
 */
export type Ledger = {
  readonly assets: AssetRow[]
  readonly transfers: TransferRow[]
  readonly settlements: SettlementRow[]
}

export function createLedgers(past: PastRows): TableJournal<Ledger> {
  return createTableJournal<Ledger>(
    'ledgers',
    () => ({ assets: [], transfers: [], settlements: [] }),
    (of) => ({
      deposited: ({ account, ...deposit }) => {
        if (!hasHistory(account)) return
        const outcome = { side: 'DEPOSIT', status: 'COMPLETED', updatedAtMs: deposit.atMs } as const
        const row = { ...deposit, ...outcome, fee: 0 }
        past.keep(ASSET_ROWS, { account, rows: of(account).assets }, row)
      },
      moved: (move, status, atMs) => {
        for (const row of movedRows(of, past, move))
          Object.assign(row, { status, updatedAtMs: atMs })
      },
      settled: ({ account, parts, ...settled }) => {
        if (!hasHistory(account)) return
        const rows = parts.map(({ market, amount }) => ({ market: market.number, amount }))
        const row = { ...settled, parts: rows }
        past.keep(SETTLEMENT_ROWS, { account, rows: of(account).settlements }, row)
      },
    }),
  )
}

type LedgerByAccount = TableJournal<Ledger>['of']

/** The rows of sender and receiver for a move of money. They are added when the move begins. */
function movedRows(of: LedgerByAccount, past: PastRows, move: Move): (AssetRow | TransferRow)[] {
  if (move.kind === 'settling') return []
  const { account, stage } = move
  if (move.kind === 'withdrawal') {
    const { assets: rows } = of({ number: account })
    return stage === 0
      ? [past.keep(ASSET_ROWS, { account: { number: account }, rows }, assetRow(move))]
      : rows.filter(({ id }) => id === move.id)
  }
  const both = [account, move.to].map((number): AccountRows<TransferRow> => {
    return { account: { number }, rows: of({ number }).transfers }
  })
  return both.flatMap((to) =>
    stage === 0
      ? [past.keep(TRANSFER_ROWS, to, transferRow(move))]
      : to.rows.filter(({ id }) => id === move.id),
  )
}

function assetRow({ id, token, amount, fee, chainId, atMs }: Withdrawal): AssetRow {
  const row = { id, token, amount, fee, chainId, atMs, updatedAtMs: atMs }
  return { ...row, side: 'WITHDRAW', status: '' }
}

function transferRow({ id, request, account, to, token, amount, atMs }: Transfer): TransferRow {
  return { id, request, account, to, token, amount, atMs, updatedAtMs: atMs, status: '' }
}
