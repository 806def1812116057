import { DAY_MS } from '../../../contract/durations.ts'
import { absolute, ONE } from '../../../core/decimals.ts'
import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { fillsOf } from '../account/fills.ts'
import { fundingsOf } from '../account/funding.ts'

/** The change that one row of the venue made to the account's equity, in USDC. */
export type Change = {
  readonly atMs: number
  readonly kind: 'pnl' | 'fee' | 'funding' | 'transfer'
  readonly amount: bigint
}

/** The answers whose rows change an account's equity. */
type Answers = Readonly<Record<'fills' | 'funding' | 'transfers', Exact>>

const USDC = 'USDC'

/** Every change of the equity in USDC that fills, funding and transfers made, the earliest first. */
export function changesOf({ fills, funding, transfers }: Answers): readonly Change[] {
  return [
    ...fillsOf(fills).flatMap(({ atMs, pnl, fee }): Change[] => [
      { atMs, kind: 'pnl', amount: pnl },
      { atMs, kind: 'fee', amount: -fee },
    ]),
    ...fundingsOf(funding).map(({ atMs, amount }): Change => ({ atMs, kind: 'funding', amount })),
    ...rowsOf(transfers, 'rows').flatMap(transferChanges),
  ].sort((one, other) => one.atMs - other.atMs)
}

/**
 * The past value in USDC of other tokens is unknown, so their transfers are left out. Failed transfers are left out
 * too.
 */
function transferChanges(row: Exact): readonly Change[] {
  if (textOf(row, 'token') !== USDC || textOf(row, 'trans_status') === 'FAILED') return []
  const amount = near(textOf(row, 'amount'))
  return [
    {
      atMs: Number(textOf(row, 'created_time')),
      kind: 'transfer',
      amount: textOf(row, 'side') === 'DEPOSIT' ? amount : -amount,
    },
  ]
}

/** One UTC day: the sum of each kind of change. */
export type Day = { readonly startMs: number } & Readonly<Record<Change['kind'], bigint>>

/** The days with changes, the latest first; changes before `sinceMs` are left out. */
export function daysOf(changes: readonly Change[], sinceMs: number): readonly Day[] {
  const days = new Map<number, Day>()
  for (const { atMs, kind, amount } of changes) {
    if (atMs < sinceMs) continue
    const startMs = Math.floor(atMs / DAY_MS) * DAY_MS
    const day = days.get(startMs) ?? { startMs, pnl: 0n, fee: 0n, funding: 0n, transfer: 0n }
    days.set(startMs, { ...day, [kind]: day[kind] + amount })
  }
  return [...days.values()].sort((one, other) => other.startMs - one.startMs)
}

/** The result of a day: all changes except transfers. */
export function netOf({ pnl, fee, funding }: Day): bigint {
  return pnl + fee + funding
}

export type Point = { readonly atMs: number; readonly value: bigint }

/**
 * The equity after each change since `sinceMs`, computed backwards from the present equity. It excludes the unrealised
 * profit of open positions, for which the venue has no history. The first point is the equity before the first change.
 */
export function curveOf(changes: readonly Change[], now: Point, sinceMs: number): readonly Point[] {
  const points: Point[] = [now]
  let { value } = now
  for (const { atMs, amount } of changes.filter((change) => change.atMs >= sinceMs).reverse()) {
    if (points.at(-1)?.atMs !== atMs) points.push({ atMs, value })
    value -= amount
  }
  const first = points.at(-1)
  if (first && first !== now) points.push({ atMs: first.atMs, value })
  return points.reverse()
}

/** The part of a curve since a time. It begins with the equity at that time. */
export function partSince(points: readonly Point[], sinceMs: number): readonly Point[] {
  const before = points.findLast(({ atMs }) => atMs < sinceMs)
  const later = points.filter(({ atMs }) => atMs >= sinceMs)
  return before ? [{ atMs: sinceMs, value: before.value }, ...later] : later
}

/** A cent of difference is the venue's rounding. */
export const REST_MIN = ONE / 100n

/** A curve without the zero before the first deposit, beside which all later changes would look flat. */
export function funded(points: readonly Point[]): readonly Point[] {
  const from = points.findIndex(({ value }) => absolute(value) >= REST_MIN)
  return from > 0 ? points.slice(from) : points
}
