import { rowsAt } from '../../core/json.ts'
import { accountRead, type QueryValues } from '../account-call.ts'
import { pageAnswer } from '../results.ts'
import { rowCounts } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { cleanedPayload } from '../untrusted-text.ts'

type Range = {
  readonly symbol?: string
  readonly start_t?: number
  readonly end_t?: number
  readonly page: number
  readonly size: number
}

type HistoryKind = {
  readonly path: string
  /** The query arguments that the venue accepts for this history; it refuses others. */
  readonly query: (range: Range) => QueryValues
  /** The values of `side`, for a venue that needs a separate read per side. Absent if one read has both sides. */
  readonly sides?: readonly string[]
}

function ranged({ start_t, end_t, page, size }: Range): QueryValues {
  return { start_t, end_t, page, size }
}

function bySymbol(range: Range): QueryValues {
  return { symbol: range.symbol, ...ranged(range) }
}

/** Each kind of past event, with its path and query. */
const KINDS = {
  closed_positions: {
    path: '/v1/position_history',
    // This path has no pages, only a limit on the newest rows.
    query: ({ symbol, page, size }) => ({ symbol, limit: page * size }),
  },
  funding: { path: '/v1/funding_fee/history', query: bySymbol },
  deposits_withdrawals: { path: '/v1/asset/history', query: ranged },
  liquidations: { path: '/v1/liquidations', query: bySymbol },
  pnl_settlements: { path: '/v1/pnl_settlement/history', query: ranged },
  transfers: { path: '/v1/internal_transfer_history', query: ranged, sides: ['IN', 'OUT'] },
  notifications: {
    path: '/v1/notification/inbox/notifications',
    query: ({ page, size }) => ({ page, size }),
  },
} as const satisfies Record<string, HistoryKind>

type HistoryName = keyof typeof KINDS

export const HISTORY_KINDS = Object.keys(KINDS).filter((name): name is HistoryName =>
  Object.hasOwn(KINDS, name),
)

/** Reads a page of one kind of past event. */
export async function historyRows(context: SignedContext, name: HistoryName, range: Range) {
  const kind: HistoryKind = KINDS[name]
  const query = kind.query(range)
  const sides = kind.sides ?? [undefined]
  const answers = await Promise.all(
    sides.map((side) => accountRead(context, kind.path, { ...query, side })),
  )
  const rows = answers.flatMap((answer, at) => {
    const side = sides[at]
    return rowsAt(answer, 'rows').map((row) =>
      cleanedPayload(side === undefined ? row : { side, ...row }),
    )
  })
  const counts = answers.map(rowCounts)
  const total = counts.reduce((sum, each) => sum + each.total, 0)
  return {
    kind: name,
    ...pageAnswer(rows, {
      rows: 'rows',
      page: range.page,
      size: range.size * sides.length,
      total: Math.max(total, rows.length),
      // Both sides share one history, so their numbers of dropped rows overlap.
      dropped: Math.max(...counts.map(({ dropped }) => dropped)),
      more: `Pass page=${range.page + 1}, or start_t and end_t.`,
    }),
  }
}
