import { ageText, filledTemplate } from '../../common/format.ts'
import { second } from '../feed/clock.ts'
import { STALE_MS } from '../feed/feed.ts'
import { isServiceOffline, refreshAll } from '../feed/service.ts'
import { announcements, dismissAnnouncement } from '../market/announcements.ts'
import {
  bookReading,
  candlesReading,
  marketsReading,
  shownMarket,
  tradesReading,
  unknownSymbol,
  venueTrouble,
} from '../market/state.ts'
import { failureMessage } from '../messages/failure-messages.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import type { Warning } from './account/warnings.ts'
import { accountViews } from './load-account.ts'

/** Failures, warnings and announcements of the venue, all in one place. */
export function Banners() {
  const [danger = null, ...others] = accountViews.value?.accountWarnings() ?? []
  const ofVenue = [offline(), venueFailure(), maintenance(), stale()]
  const warnings = [danger, ...ofVenue, ...others, unknownMarket()]
  return (
    <div class="banners" role="status">
      {warnings.map((warning) => warning && <Banner key={warning.text} {...warning} />)}
      {announcements.value.map(({ id, text, url }) => (
        <p key={id} class="announcement">
          <span>
            {text}{' '}
            {url && (
              <a href={url} rel="noreferrer">
                {PAGE_TEXTS.state.more}
              </a>
            )}
          </span>
          <button type="button" class="link" onClick={() => dismissAnnouncement(id)}>
            {PAGE_TEXTS.dismiss}
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

/** Whether a banner reports that figures are old. */
export function hasOldFigures(): boolean {
  return (offline() ?? venueFailure() ?? stale()) !== null
}

const LOOK_AGAIN = [PAGE_TEXTS.state.lookAgain, refreshAll] as const

function offline(): Warning | null {
  return isServiceOffline.value ? { text: PAGE_TEXTS.state.offline, action: LOOK_AGAIN } : null
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
  return {
    text: filledTemplate(PAGE_TEXTS.state.venueSays, { text: value.slice(0, 200) }),
    action: LOOK_AGAIN,
  }
}

/** The warning about old prices without a known failure; null if prices are fresh. */
function stale(): Warning | null {
  const { isLive, atMs, failure } = bookReading.value
  const oldMs = second.value - atMs
  if (isLive || atMs === 0 || failure || isServiceOffline.value || oldMs < STALE_MS.prices)
    return null
  return {
    text: filledTemplate(PAGE_TEXTS.state.pricesOld, { age: ageText(oldMs) }),
    action: LOOK_AGAIN,
  }
}

function unknownMarket(): Warning | null {
  const { value } = unknownSymbol
  if (value === '') return null
  const names = { name: value.slice(0, 40), base: shownMarket.value?.base ?? '' }
  return { text: filledTemplate(PAGE_TEXTS.state.unknownSymbol, names) }
}
