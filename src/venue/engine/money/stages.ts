import type { Move } from './move.ts'

/** One stage of a move: its word on the wire, and how long it lasts. In the last one the money has arrived. */
export type Stage = { readonly status: string; readonly lastsMs: number }

const WITHDRAWAL = {
  begin: [
    { status: 'NEW', lastsMs: 2_000 },
    { status: 'CONFIRM', lastsMs: 3_000 },
  ],
  rebalance: [{ status: 'PENDING_REBALANCE', lastsMs: 60_000 }],
  end: [
    { status: 'PROCESSING', lastsMs: 25_000 },
    { status: 'COMPLETED', lastsMs: 0 },
  ],
} as const

const TRANSFER: readonly Stage[] = [
  { status: 'CREATED', lastsMs: 500 },
  { status: 'PENDING', lastsMs: 1_500 },
  { status: 'COMPLETED', lastsMs: 0 },
]

const SETTLING: readonly Stage[] = [
  { status: 'PENDING', lastsMs: 3_000 },
  { status: 'COMPLETED', lastsMs: 0 },
]

/** The stages of a move, in their order. */
export function stagesOf(move: Move): readonly Stage[] {
  if (move.kind === 'transfer') return TRANSFER
  if (move.kind === 'settling') return SETTLING
  const { begin, rebalance, end } = WITHDRAWAL
  return move.isCrossChain ? [...begin, ...rebalance, ...end] : [...begin, ...end]
}

/** The stage that a move is in. */
export function stageOf(move: Move): Stage {
  const stage = stagesOf(move)[move.stage]
  if (!stage) throw new RangeError('the move is over')
  return stage
}
