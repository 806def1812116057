import { computed } from '@preact/signals'
import { absolute } from '../../../core/decimals.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import { divided } from '../../common/amounts.ts'
import { ONE } from '../../common/format.ts'
import { second } from '../feed/clock.ts'
import type { Position } from './rows.ts'
import { keyState, session } from './session.ts'
import { positions } from './state.ts'

/** How long before its end a key is said to end, and how near to its liquidation a position is near. */
const KEY_ENDS_MS = 3 * DAY_MS
const NEAR = ONE / 20n

/** How long the key still signs, when that is not long; null otherwise. */
export const keyEndsInMs = computed(() => {
  const leftMs = (session.value?.expiresAtMs ?? 0) - second.value
  return keyState.value === 'active' && leftMs < KEY_ENDS_MS ? leftMs : null
})

/** The position that is nearest to its liquidation, and how near as a fraction of its mark; null when none is near. */
export const endangered = computed(() => {
  const near = positions.value
    .filter(({ liquidation }) => liquidation > 0n)
    .map((position) => ({ position, distance: distanceOf(position) }))
    .filter(({ distance }) => distance < NEAR)
    .sort((one, other) => Number(one.distance - other.distance))
  return near[0] ?? null
})

function distanceOf({ mark, liquidation }: Position): bigint {
  return divided(absolute(mark - liquidation), mark)
}
