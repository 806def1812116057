import { append } from '../base/bounded-list.ts'
import type { Move, Settled, Transfer, Withdrawal } from '../state/observer.ts'
import { createTableJournal, type TableJournal } from './journal.ts'
import { isKept } from './records.ts'

/** Rows of an account's money as plain data: accounts by number, amounts as in `Move`. */

/** A deposit or a withdrawal. */
export type AssetRow = {
  readonly id: number
  readonly side: 'DEPOSIT' | 'WITHDRAW'
  readonly token: string
  readonly amount: number
  readonly fee: number
  readonly chainId: string
  readonly atMs: number
  status: string
  updatedAtMs: number
}

export type TransferRow = Pick<
  Transfer,
  'id' | 'request' | 'account' | 'to' | 'token' | 'amount' | 'atMs'
> & { status: string; updatedAtMs: number }

type SettlementRow = Omit<Settled, 'account' | 'parts'> & {
  readonly parts: readonly { readonly market: number; readonly amount: number }[]
}

/** An account's deposits, withdrawals, transfers and settlements, oldest first and bounded. */
export type Ledger = {
  readonly assets: AssetRow[]
  readonly transfers: TransferRow[]
  readonly settlements: SettlementRow[]
}

export function createLedgers(): TableJournal<Ledger> {
  return createTableJournal<Ledger>(
    'ledgers',
    () => ({ assets: [], transfers: [], settlements: [] }),
    (of) => ({
      deposited: ({ account, ...deposit }) => {
        if (!isKept(account)) return
        const outcome = { side: 'DEPOSIT', status: 'COMPLETED', updatedAtMs: deposit.atMs } as const
        append(of(account).assets, { ...deposit, ...outcome, fee: 0 })
      },
      moved: (move, status, atMs) => {
        for (const row of rowsOf(of, move)) Object.assign(row, { status, updatedAtMs: atMs })
      },
      settled: ({ account, parts, ...settled }) => {
        if (!isKept(account)) return
        const rows = parts.map(({ market, amount }) => ({ market: market.number, amount }))
        append(of(account).settlements, { ...settled, parts: rows })
      },
    }),
  )
}

type Of = TableJournal<Ledger>['of']

/** The rows of a move for sender and receiver, created when it begins. */
function rowsOf(of: Of, move: Move): (AssetRow | TransferRow)[] {
  if (move.kind === 'settling') return []
  const { account, stage } = move
  if (move.kind === 'withdrawal') {
    const { assets } = of({ number: account })
    return stage === 0
      ? [append(assets, assetRow(move))]
      : assets.filter(({ id }) => id === move.id)
  }
  const both = [account, move.to].map((number) => of({ number }).transfers)
  return both.flatMap((transfers) =>
    stage === 0
      ? [append(transfers, transferRow(move))]
      : transfers.filter(({ id }) => id === move.id),
  )
}

function assetRow({ id, token, amount, fee, chainId, atMs }: Withdrawal): AssetRow {
  const row = { id, token, amount, fee, chainId, atMs, updatedAtMs: atMs }
  return { ...row, side: 'WITHDRAW', status: '' }
}

function transferRow({ id, request, account, to, token, amount, atMs }: Transfer): TransferRow {
  return { id, request, account, to, token, amount, atMs, updatedAtMs: atMs, status: '' }
}
