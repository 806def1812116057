import type { FaultRule } from '../faults/rules.ts'

/** A fault as it is told: times as text, no limit as null. */
export function laidFault({ untilMs, left, drawn: _, ...rule }: FaultRule): object {
  return { ...rule, left, until: untilMs === null ? null : new Date(untilMs).toISOString() }
}
