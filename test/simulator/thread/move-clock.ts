import type { VenueService } from '../../../src/simulator/service.ts'

/** Moves a virtual clock for the operator. */
export function moveClock({ calls }: Pick<VenueService, 'calls'>, ms: number) {
  return calls.step({ steps: [{ ms }], caller: { by: 'operator' }, isLast: true })
}
