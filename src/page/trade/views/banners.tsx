import { computed } from '@preact/signals'
import { absolute } from '../../../core/decimals.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import { divided } from '../../common/amounts.ts'
import { age, fill, ONE, unsignedPercent } from '../../common/format.ts'
import type { Position } from '../account/rows.ts'
import { keyState, missing, session } from '../account/session.ts'
import { positions } from '../account/state.ts'
import { second, skewMs } from '../feed/clock.ts'
import { isOffline, refreshAll } from '../feed/service.ts'
import { announcements, dismissAnnouncement } from '../market/announcements.ts'
import {
  bookReading,
  candlesReading,
  market,
  marketsReading,
  tradesReading,
  unknownSymbol,
  venueTrouble,
} from '../market/state.ts'
import { failureMessage } from '../messages/failure-messages.ts'
import { M } from '../messages/page.ts'
import { baseOf } from '../orders/text.ts'
import { openConnect } from './connect/open.tsx'
import { withAccountViews } from './load-account.ts'

/** One thing that concerns everything on the page, in a sentence, and what can be done about it. */
type Warning = {
  readonly text: string
  readonly action?: readonly [label: string, act: () => void]
}

/** From when on prices that nothing renews are called old. */
const STALE_MS = 30_000

/** The one place for what is wrong, for what may soon be, and for what the venue announces. */
export function Banners() {
  const warnings = [
    ...[danger(), offline(), venueFailure(), maintenance(), stale(), skew()],
    ...[keyTrouble(), keyEnd(), missingCapability(), unknownMarket()],
  ]
  return (
    <div class="banners" role="status">
      {warnings.map((warning) => warning && <Banner key={warning.text} {...warning} />)}
      {announcements.value.map(({ id, text, url }) => (
        <p key={id} class="announcement">
          <span>
            {text}{' '}
            {url && (
              <a href={url} rel="noreferrer">
                {M.state.more}
              </a>
            )}
          </span>
          <button type="button" class="link" onClick={() => dismissAnnouncement(id)}>
            {M.dismiss}
          </button>
        </p>
      ))}
    </div>
  )
}

function Banner({ text, action }: Warning) {
  return (
    <p class="notice">
      <span>{text}</span>
      {action && (
        <button type="button" class="link" onClick={action[1]}>
          {action[0]}
        </button>
      )}
    </p>
  )
}

/** Whether a banner says that figures are not of now. */
export function isOld(): boolean {
  return (offline() ?? venueFailure() ?? stale()) !== null
}

const LOOK_AGAIN = [M.state.lookAgain, refreshAll] as const
const BIND = [M.account.anew, openConnect] as const

function danger(): Warning | null {
  const { value } = endangered
  if (!value) return null
  const { position, distance } = value
  const text = fill(M.state.liquidationNear, {
    base: baseOf(position.symbol),
    distance: unsignedPercent(distance, 1),
  })
  const act = () => void withAccountViews(async (views) => views.rescue(position))
  return { text, action: [position.isIsolated ? M.state.addMargin : M.state.reduce, act] }
}

function offline(): Warning | null {
  return isOffline.value ? { text: M.state.offline, action: LOOK_AGAIN } : null
}

function venueFailure(): Warning | null {
  const readings = [marketsReading, bookReading, tradesReading, candlesReading]
  const failure = readings.map(({ value }) => value.failure).find((found) => found !== null)
  if (!failure || failure.code === 'offline') return null
  const { text, next } = failureMessage(failure)
  return { text: `${text} ${next}`, action: LOOK_AGAIN }
}

function maintenance(): Warning | null {
  const { value } = venueTrouble
  if (value === '') return null
  return { text: fill(M.state.venueSays, { text: value.slice(0, 200) }), action: LOOK_AGAIN }
}

/** Prices that are old while nothing is known to have failed. */
function stale(): Warning | null {
  const { isLive, atMs, failure } = bookReading.value
  const oldMs = second.value - atMs
  if (isLive || atMs === 0 || failure || isOffline.value || oldMs < STALE_MS) return null
  return { text: fill(M.state.pricesOld, { age: age(oldMs) }), action: LOOK_AGAIN }
}

function skew(): Warning | null {
  const { value } = skewMs
  if (value === 0) return null
  const text = value > 0 ? M.state.clockAhead : M.state.clockBehind
  return { text: fill(text, { age: age(Math.abs(value)) }) }
}

function keyTrouble(): Warning | null {
  const { value } = keyState
  if (value !== 'expired' && value !== 'refused') return null
  return { text: M.account[value], action: BIND }
}

function keyEnd(): Warning | null {
  const { value } = keyEndsInMs
  return value === null ? null : { text: fill(M.state.keyEnds, { age: age(value) }), action: BIND }
}

function missingCapability(): Warning | null {
  const { value } = missing
  return value === null ? null : { text: M.state.missing[value] }
}

function unknownMarket(): Warning | null {
  const { value } = unknownSymbol
  if (value === '') return null
  const names = { name: value.slice(0, 40), base: market.value?.base ?? '' }
  return { text: fill(M.state.unknownSymbol, names) }
}

/** How long before its end a key is said to end, and how near to its liquidation a position is near. */
const KEY_ENDS_MS = 3 * DAY_MS
const NEAR = ONE / 20n

/** How long the key still signs, when that is not long; null otherwise. */
const keyEndsInMs = computed(() => {
  const leftMs = (session.value?.expiresAtMs ?? 0) - second.value
  return keyState.value === 'active' && leftMs < KEY_ENDS_MS ? leftMs : null
})

/** The position that is nearest to its liquidation, and how near as a fraction of its mark; null when none is near. */
const endangered = computed(() => {
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
