import { fill } from '../../common/fill.ts'
import { F } from '../words/ticket.ts'
import type { Problem } from './check.ts'
import { readInput } from './text.ts'

/** Why a field's number cannot be used, and the numbers that could be. */
export type FieldProblem = {
  readonly text: string
  readonly corrections: readonly bigint[]
  /** Takes a correction; without it the correction goes into the input. */
  readonly onCorrect?: ((value: bigint) => void) | undefined
}

/** What is wrong with a text that is no clear number; null for a number, or nothing. */
export function unreadable(text: string): FieldProblem | null {
  const reading = readInput(text)
  if (reading.kind === 'value' || reading.kind === 'empty') return null
  const { kind, candidates } = reading
  return { text: fill(F.unreadable[kind], { text: text.trim() }), corrections: candidates }
}

/** A broken rule of the market as a field shows it. */
export function ruleProblem(problem: Problem | undefined): FieldProblem | null {
  if (!problem) return null
  const { rule, corrected } = problem
  return { text: F.problem[rule], corrections: corrected > 0n ? [corrected] : [] }
}
