import type {
  AssetRow,
  ClosedRow,
  FundingRow,
  LiquidationRow,
  OrderRow,
  SettlementRow,
  TradeRow,
  TransferRow,
} from './account-rows.ts'
import { type RowKind, textNumber } from './past-rows.ts'

/** The kinds of histories whose older rows are in the store, each with the facet by which its rows are selected. */

export const ORDER_ROWS: RowKind<
  OrderRow,
  Pick<OrderRow, 'market' | 'side' | 'type' | 'status'>
> = {
  name: 'orders',
  head: ({ id, createdAtMs: atMs, updatedAtMs, clientOrderId, orderTag }) => ({
    ...{ id, atMs, updatedAtMs },
    reference: textNumber(clientOrderId),
    tag: textNumber(orderTag),
  }),
  facet: ({ market, side, type, status }) => ({ market, side, type, status }),
}

export const TRADE_ROWS: RowKind<TradeRow, Pick<TradeRow, 'market'>> = {
  name: 'trades',
  head: ({ id, atMs, order }) => ({ id, atMs, updatedAtMs: atMs, reference: order, tag: 0 }),
  facet: ({ market }) => ({ market }),
}

export const FUNDING_ROWS: RowKind<FundingRow, Pick<FundingRow, 'market'>> = {
  name: 'fundings',
  head: ({ atMs }) => ({ id: 0, atMs, updatedAtMs: atMs, reference: 0, tag: 0 }),
  facet: ({ market }) => ({ market }),
}

export const CLOSED_ROWS: RowKind<ClosedRow, Pick<ClosedRow, 'market'>> = {
  name: 'closed',
  head: ({ id, closedAtMs: atMs }) => ({ id, atMs, updatedAtMs: atMs, reference: 0, tag: 0 }),
  facet: ({ market }) => ({ market }),
}

/** Liquidations of an account, and liquidations of other accounts for which this account was deleveraged. */
export const LIQUIDATION_ROWS: RowKind<
  LiquidationRow,
  { readonly account: number; readonly markets: readonly number[] }
> = {
  name: 'liquidations',
  head: ({ id, atMs }) => ({ id, atMs, updatedAtMs: atMs, reference: 0, tag: 0 }),
  facet: ({ account, takeovers }) => ({
    account,
    markets: [...new Set(takeovers.map(({ market }) => market))],
  }),
}

const isCompleted = ({ status }: { readonly status: string }) => status === 'COMPLETED'

export const ASSET_ROWS: RowKind<AssetRow, Pick<AssetRow, 'token' | 'side' | 'status'>> = {
  name: 'assets',
  head: ({ id, atMs, updatedAtMs }) => ({ id, atMs, updatedAtMs, reference: 0, tag: 0 }),
  facet: ({ token, side, status }) => ({ token, side, status }),
  isFinal: isCompleted,
}

export const TRANSFER_ROWS: RowKind<
  TransferRow,
  Pick<TransferRow, 'account' | 'to' | 'token' | 'status'>
> = {
  name: 'transfers',
  head: ({ id, atMs, updatedAtMs }) => ({ id, atMs, updatedAtMs, reference: 0, tag: 0 }),
  facet: ({ account, to, token, status }) => ({ account, to, token, status }),
  isFinal: isCompleted,
}

export const SETTLEMENT_ROWS: RowKind<SettlementRow, null> = {
  name: 'settlements',
  head: ({ id, atMs }) => ({ id, atMs, updatedAtMs: atMs, reference: 0, tag: 0 }),
  facet: () => null,
}
