import { fill } from '../../common/format.ts'
import { market, rule } from '../market/state.ts'
import { F } from '../messages/ticket.ts'
import { children, count, endPrice, everyMs, isReduceOnly, side } from './draft.ts'
import { SCALED_MAX, SLICES_MAX, splitProblem } from './split.ts'
import { kind } from './switches.ts'

type Field = 'end' | 'count' | 'minutes' | 'slices'

/** The inputs that say how an order of the ticket’s kind is split, with their labels. */
export function splitFields(): readonly (readonly [Field, string])[] {
  if (kind.value === 'SCALED') {
    return [
      ['end', F.end],
      ['count', F.count],
    ]
  }
  if (kind.value !== 'TWAP') return []
  return [
    ['minutes', F.minutes],
    ['slices', F.slices],
  ]
}

type Trouble = {
  readonly field: Field | null
  readonly text: string
  readonly isMissing: boolean
}

/** What keeps an order from being split as the ticket says; null when nothing does. */
export function splitTrouble(): Trouble | null {
  if (kind.value === 'SCALED') return scaledTrouble()
  if (kind.value !== 'TWAP') return null
  if (count.value === null) return bad('slices', fill(F.countBad, { max: SLICES_MAX }))
  return everyMs.value === null ? bad('minutes', F.minutesBad) : null
}

function scaledTrouble(): Trouble | null {
  if (isReduceOnly.value) return bad(null, F.scaledOnly)
  if (endPrice.value === null) return { field: null, text: F.missingEnd, isMissing: true }
  return count.value === null ? bad('count', fill(F.countBad, { max: SCALED_MAX })) : null
}

function bad(field: Field | null, text: string): Trouble {
  return { field, text, isMissing: false }
}

/** What the venue would refuse of a part, with the size of the whole order that it would take; null when nothing. */
export function partTrouble() {
  if (!rule.value || children.value.length === 0) return null
  const wanted = { side: side.value, mark: market.value?.mark ?? 0n }
  const problem = splitProblem(rule.value, children.value, wanted)
  if (!problem) return null
  const isSize = problem.field === 'size'
  return {
    field: problem.field,
    text: fill(F.ofPart, { text: F.problem[problem.rule] }),
    corrected: isSize ? problem.corrected * BigInt(children.value.length) : 0n,
  }
}
