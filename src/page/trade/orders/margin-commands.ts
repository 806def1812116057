import { fill, fixed, textOfExact } from '../../common/format.ts'
import type { Position } from '../account/rows.ts'
import { A } from '../messages/account.ts'
import { F } from '../messages/ticket.ts'
import { bodyText } from './body.ts'
import { leverageOutcome, marginOutcome, modeOutcome } from './margin-outcomes.ts'
import { baseOf } from './text.ts'
import { write } from './writes.ts'

type Rows = readonly (readonly [string, string])[]

/** Sets the leverage of a market, of its cross or of its isolated orders. True when the venue has taken it. */
export function setLeverage(
  symbol: string,
  leverage: number,
  isOwn: boolean,
  estimates: Rows = [],
): Promise<boolean> {
  return write({
    method: 'POST',
    path: '/v1/client/leverages',
    body: bodyText({ symbol, leverage, margin_mode: isOwn ? 'ISOLATED' : null }),
    title: fill(A.margin.leverageTitle, { base: baseOf(symbol), leverage: `${leverage}×` }),
    rows: [[A.margin.mode, isOwn ? F.isolated : F.cross], ...estimates],
    outcome: leverageOutcome(symbol, isOwn, leverage),
  })
}

/** Makes the orders of a market cross or isolated. True when the venue has taken it. */
export function setMarginMode(symbol: string, isOwn: boolean): Promise<boolean> {
  return write({
    method: 'POST',
    path: '/v1/client/margin_mode',
    body: bodyText({ symbol, default_margin_mode: isOwn ? 'ISOLATED' : 'CROSS' }),
    title: fill(A.margin.modeTitle, {
      base: baseOf(symbol),
      mode: isOwn ? F.isolated : F.cross,
    }),
    rows: [[A.margin.mode, A.margin.why[isOwn ? 'ISOLATED' : 'CROSS']]],
    outcome: modeOutcome(symbol, isOwn),
  })
}

/** Moves margin into an isolated position, or, below zero, out of it. True when the venue has taken it. */
export function moveMargin(
  { symbol, margin }: Position,
  amount: bigint,
  estimates: Rows,
): Promise<boolean> {
  const isAdded = amount > 0n
  const moved = isAdded ? amount : -amount
  return write({
    method: 'POST',
    path: '/v1/position_margin',
    // The venue takes this amount as text.
    body: JSON.stringify({ symbol, amount: textOfExact(moved), type: isAdded ? 'ADD' : 'REDUCE' }),
    title: fill(isAdded ? A.margin.addTitle : A.margin.removeTitle, {
      amount: fixed(moved, 2),
      base: baseOf(symbol),
    }),
    rows: [[F.margin, `${fixed(margin, 2)} → ${fixed(margin + amount, 2)} USDC`], ...estimates],
    outcome: marginOutcome(symbol, margin + amount),
  })
}
