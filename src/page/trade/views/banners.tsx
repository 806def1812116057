import { age, fill } from '../../common/format.ts'
import { keyState, missing } from '../account/session.ts'
import { skewMs } from '../feed/clock.ts'
import { isOffline } from '../feed/service.ts'
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
import { openConnect } from './connect/open.tsx'

/** What is wrong and concerns everything on the page, each in one sentence. */
export function Banners() {
  const skew = skewMs.value
  return (
    <div class="banners" role="status">
      {isOffline.value && <p class="notice">{M.state.offline}</p>}
      <VenueTrouble />
      {venueTrouble.value !== '' && (
        <p class="notice">{fill(M.state.venueSays, { text: venueTrouble.value.slice(0, 200) })}</p>
      )}
      {unknownSymbol.value !== '' && (
        <p class="notice">
          {fill(M.state.unknownSymbol, {
            name: unknownSymbol.value.slice(0, 40),
            base: market.value?.base ?? '',
          })}
        </p>
      )}
      {skew !== 0 && (
        <p class="notice">
          {fill(skew > 0 ? M.state.clockAhead : M.state.clockBehind, { age: age(Math.abs(skew)) })}
        </p>
      )}
      {missing.value !== null && <p class="notice">{M.state.missing[missing.value]}</p>}
      <KeyTrouble />
    </div>
  )
}

function VenueTrouble() {
  const readings = [marketsReading, bookReading, tradesReading, candlesReading]
  const failure = readings.map(({ value }) => value.failure).find((found) => found !== null)
  if (!failure || failure.code === 'offline') return null
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice">
      {text} {next}
    </p>
  )
}

function KeyTrouble() {
  const { value } = keyState
  if (value !== 'expired' && value !== 'refused') return null
  return (
    <p class="notice">
      {M.account[value]}{' '}
      <button type="button" class="link" onClick={openConnect}>
        {M.account.anew}
      </button>
    </p>
  )
}
