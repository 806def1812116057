import { age, fill } from '../../common/format.ts'
import { lack, standing } from '../account/session.ts'
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
import { failureWords } from '../messages/failure-messages.ts'
import { W } from '../messages/page.ts'
import { openConnect } from './connect/open.tsx'

/** What is wrong and concerns everything on the page, each in one sentence. */
export function Banners() {
  const skew = skewMs.value
  return (
    <div class="banners" role="status">
      {isOffline.value && <p class="notice">{W.state.offline}</p>}
      <VenueTrouble />
      {venueTrouble.value !== '' && (
        <p class="notice">{fill(W.state.venueSays, { text: venueTrouble.value.slice(0, 200) })}</p>
      )}
      {unknownSymbol.value !== '' && (
        <p class="notice">
          {fill(W.state.unknownSymbol, {
            name: unknownSymbol.value.slice(0, 40),
            base: market.value?.base ?? '',
          })}
        </p>
      )}
      {skew !== 0 && (
        <p class="notice">
          {fill(skew > 0 ? W.state.clockAhead : W.state.clockBehind, { age: age(Math.abs(skew)) })}
        </p>
      )}
      {lack.value !== null && <p class="notice">{W.state.lack[lack.value]}</p>}
      <KeyTrouble />
    </div>
  )
}

function VenueTrouble() {
  const readings = [marketsReading, bookReading, tradesReading, candlesReading]
  const failure = readings.map(({ value }) => value.failure).find((found) => found !== null)
  if (!failure || failure.code === 'offline') return null
  const { text, next } = failureWords(failure)
  return (
    <p class="notice">
      {text} {next}
    </p>
  )
}

function KeyTrouble() {
  const { value } = standing
  if (value !== 'expired' && value !== 'refused') return null
  return (
    <p class="notice">
      {W.account[value]}{' '}
      <button type="button" class="link" onClick={openConnect}>
        {W.account.anew}
      </button>
    </p>
  )
}
