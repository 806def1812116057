import { DAY_MS } from '../../../contract/durations.ts'
import { absolute, ONE } from '../../../core/decimals.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { accountFills } from '../account/fills.ts'
import { fundingCharges } from '../account/funding.ts'

/** A change of the account's equity in USDC, from one row of the venue. */
export type EquityChange = {
  readonly atMs: number
  readonly kind: 'pnl' | 'fee' | 'funding' | 'transfer'
  readonly amount: bigint
}

/** The answers whose rows are changes of an account's equity. */
type Answers = Readonly<Record<'fills' | 'funding' | 'transfers', Exact>>

const USDC = 'USDC'

/**
 * Every change of the equity by fills, funding and transfers, in USDC, earliest first. Unknown amounts and amounts in
 * other tokens are left out.
 */
export function equityChanges({ fills, funding, transfers }: Answers): readonly EquityChange[] {
  return [
    ...accountFills(fills).flatMap(({ atMs, pnl, fee, feeToken }): EquityChange[] => [
      { atMs, kind: 'pnl', amount: pnl ?? 0n },
      { atMs, kind: 'fee', amount: feeToken === USDC && fee ? -fee : 0n },
    ]),
    ...fundingCharges(funding).map(
      ({ atMs, amount }): EquityChange => ({ atMs, kind: 'funding', amount: amount ?? 0n }),
    ),
    ...memberRows(transfers, 'rows').flatMap(transferChanges),
  ].sort((one, other) => one.atMs - other.atMs)
}

/**
 * The equity change of a transfer of USDC. Leaves out failed transfers. Also leaves out other tokens, because their
 * past value in USDC is unknown.
 */
function transferChanges(row: Exact): readonly EquityChange[] {
  if (memberText(row, 'token') !== USDC || memberText(row, 'trans_status') === 'FAILED') return []
  const amount = displayDecimal(memberText(row, 'amount'))
  return [
    {
      atMs: Number(memberText(row, 'created_time')),
      kind: 'transfer',
      amount: memberText(row, 'side') === 'DEPOSIT' ? amount : -amount,
    },
  ]
}

/** The sum of each kind of change on one UTC day. */
export type DayChanges = { readonly startMs: number } & Readonly<
  Record<EquityChange['kind'], bigint>
>

/** The days with changes, the latest first; changes before `sinceMs` are left out. */
export function changesByDay(
  changes: readonly EquityChange[],
  sinceMs: number,
): readonly DayChanges[] {
  const days = new Map<number, DayChanges>()
  for (const { atMs, kind, amount } of changes) {
    if (atMs < sinceMs) continue
    const startMs = Math.floor(atMs / DAY_MS) * DAY_MS
    const day = days.get(startMs) ?? { startMs, pnl: 0n, fee: 0n, funding: 0n, transfer: 0n }
    days.set(startMs, { ...day, [kind]: day[kind] + amount })
  }
  return [...days.values()].sort((one, other) => other.startMs - one.startMs)
}

/** The result of a day: all changes except transfers. */
export function dayNet({ pnl, fee, funding }: DayChanges): bigint {
  return pnl + fee + funding
}

export type EquityPoint = { readonly atMs: number; readonly value: bigint }

/**
 * The equity after each change since `sinceMs`, computed backwards from the current equity. The curve excludes
 * unrealised PnL, because the venue has no history of unrealised PnL. The first point is the equity before the first
 * change.
 */
export function equityCurve(
  changes: readonly EquityChange[],
  now: EquityPoint,
  sinceMs: number,
): readonly EquityPoint[] {
  const points: EquityPoint[] = [now]
  let { value } = now
  for (const { atMs, amount } of changes.filter((change) => change.atMs >= sinceMs).reverse()) {
    if (points.at(-1)?.atMs !== atMs) points.push({ atMs, value })
    value -= amount
  }
  const first = points.at(-1)
  if (first && first !== now) points.push({ atMs: first.atMs, value })
  return points.reverse()
}

/** The part of a curve since a time; the first point is the equity at that time. */
export function partSince(points: readonly EquityPoint[], sinceMs: number): readonly EquityPoint[] {
  const before = points.findLast(({ atMs }) => atMs < sinceMs)
  const later = points.filter(({ atMs }) => atMs >= sinceMs)
  return before ? [{ atMs: sinceMs, value: before.value }, ...later] : later
}

/** Minimum equity that counts: less than a cent is the venue's rounding. */
export const REST_MIN = ONE / 100n

/** The curve without the zero equity before the first deposit, because later changes would look flat next to zero. */
export function funded(points: readonly EquityPoint[]): readonly EquityPoint[] {
  const from = points.findIndex(({ value }) => absolute(value) >= REST_MIN)
  return from > 0 ? points.slice(from) : points
}
