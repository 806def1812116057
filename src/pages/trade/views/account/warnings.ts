import { computed } from '@preact/signals'
import { DAY_MS } from '../../../../contract/durations.ts'
import { ONE } from '../../../../core/decimals.ts'
import { ageText, filledTemplate, unsignedPercent } from '../../../common/format.ts'
import { distanceToLiquidation } from '../../account/liquidation-distance.ts'
import type { AccountPosition } from '../../account/rows.ts'
import { keyState, missingCapability, session } from '../../account/session.ts'
import { heldPositions } from '../../account/state.ts'
import { agreeToServerTime, isOffsetAgreed, serverSecond, skewMs } from '../../feed/clock.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { showNotice } from '../../messages/notices.ts'
import { WARNINGS } from '../../messages/warnings.ts'
import { symbolBase } from '../../orders/text.ts'
import { openConnect } from '../connect/open.tsx'
import { askToClose } from './close-dialog.tsx'
import { askMargin } from './margin-dialog.tsx'

/** A warning about the whole page: one sentence, and an action that resolves the warning. */
export type Warning = {
  readonly text: string
  readonly action?: readonly [label: string, act: () => void]
}

/** The warnings about positions, and about obstacles to trading with the account. */
export function accountWarnings(): readonly (Warning | null)[] {
  return [danger(), skew(), keyTrouble(), keyEnd(), capabilityWarning()]
}

const BIND = [ACCOUNT_TEXTS.account.anew, openConnect] as const

function danger(): Warning | null {
  const { value } = endangered
  if (!value) return null
  const { position, distance } = value
  const text = filledTemplate(WARNINGS.liquidationNear, {
    base: symbolBase(position.symbol),
    distance: unsignedPercent(distance, 1),
  })
  const act = () => rescue(position)
  return { text, action: [position.isIsolated ? ACCOUNT_TEXTS.margin.add : WARNINGS.reduce, act] }
}

/** Opens the dialog that moves a position away from liquidation: more margin if isolated, else a smaller size. */
function rescue(position: AccountPosition): void {
  if (position.isIsolated) askMargin(position)
  else askToClose(position)
}

function skew(): Warning | null {
  const { value } = skewMs
  if (value === 0 || isOffsetAgreed.value) return null
  const [text, done] = value > 0 ? WARNINGS.clockAhead : WARNINGS.clockBehind
  const offset = { age: ageText(Math.abs(value)) }
  const act = () => {
    agreeToServerTime()
    showNotice({ kind: 'warn', text: filledTemplate(done, offset) })
  }
  return { text: filledTemplate(text, offset), action: [WARNINGS.useServerTime, act] }
}

function keyTrouble(): Warning | null {
  const { value } = keyState
  if (value !== 'expired' && value !== 'refused') return null
  return { text: WARNINGS[value], action: BIND }
}

function keyEnd(): Warning | null {
  const { value } = keyEndsInMs
  return value === null
    ? null
    : { text: filledTemplate(WARNINGS.keyEnds, { age: ageText(value) }), action: BIND }
}

function capabilityWarning(): Warning | null {
  const { value } = missingCapability
  return value === null ? null : { text: WARNINGS.missing[value] }
}

/**
 * Time before a key's expiry at which the page warns. The next value is the distance between a position and its
 * liquidation price below which the page warns.
 */
const KEY_ENDS_MS = 3 * DAY_MS
const NEAR = ONE / 20n

/** The time until the key expires, if it is short; otherwise null. */
const keyEndsInMs = computed(() => {
  const leftMs = (session.value?.expiresAtMs ?? 0) - serverSecond.value
  return keyState.value === 'active' && leftMs < KEY_ENDS_MS ? leftMs : null
})

/**
 * The position nearest to its liquidation price, with the distance as a fraction of the mark price; null if no position
 * is near.
 */
const endangered = computed(() => {
  const near = heldPositions.value
    .map((position) => ({ position, distance: distanceToLiquidation(position) ?? ONE }))
    .filter(({ distance }) => distance < NEAR)
    .sort((one, other) => Number(one.distance - other.distance))
  return near[0] ?? null
})
