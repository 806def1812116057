import { startScriptedVenue } from '../../live/scripted-venue.ts'
import { randomOf } from '../random.ts'

const SYMBOL = 'PERP_ETH_USDC'
const PUBLISH_EVERY_MS = 200
const MALFORMED_EVERY_MS = 20

/** Pieces that no reader expects. */
const PIECES = [
  '{"toString":1}',
  '[]',
  'null',
  '-1',
  '1e999',
  '""',
  '"',
  '}',
  '{',
  '\u0000',
  '[[[[',
  '"__proto__"',
] as const

/** What is said on every topic in turn. */
function messagesOf(round: number): readonly { readonly topic: string; readonly data: unknown }[] {
  const market = {
    symbol: SYMBOL,
    price: 3000 + (round % 9),
    open: 3000,
    close: 3000 + (round % 9),
  }
  return [
    { topic: 'tickers', data: [market] },
    { topic: 'markprices', data: [market] },
    { topic: `${SYMBOL}@trade`, data: { symbol: SYMBOL, price: 3000, size: 1, side: 'BUY' } },
    {
      topic: `${SYMBOL}@orderbookupdate`,
      data: { asks: [[3200 + (round % 50), round]], bids: [] },
    },
    { topic: 'maintenance_status', data: { status: 0, msg: '' } },
  ]
}

/** Live data of a venue that goes on by itself, and can be made to say what cannot be read. */
export function startStormStream(seed: number) {
  const venue = startScriptedVenue()
  const random = randomOf(seed)
  let round = 0
  let malformed = 0
  let malforming: ReturnType<typeof setInterval> | undefined
  const publishing = setInterval(() => {
    round += 1
    for (const { topic, data } of messagesOf(round)) venue.publish(topic, data)
  }, PUBLISH_EVERY_MS)

  function sendMalformed(): void {
    const messages = messagesOf(malformed)
    const message = messages[malformed % messages.length]
    const answered = { id: `${malformed}`, event: 'subscribe', success: true, ts: 1 }
    const whole = JSON.stringify(random() < 0.2 ? answered : { ...message, ts: Date.now() })
    malformed += 1
    venue.send(mutated(whole, random))
  }

  return {
    url: venue.streamUrl,
    /** How many malformed messages were said. */
    malformed: () => malformed,
    malform: () => {
      malforming ??= setInterval(sendMalformed, MALFORMED_EVERY_MS)
    },
    behave: () => {
      clearInterval(malforming)
      malforming = undefined
    },
    cut: venue.cut,
    setDown: (isDown: boolean) => {
      venue.setDown(isDown)
      if (isDown) venue.cut()
    },
    stop: async () => {
      clearInterval(publishing)
      clearInterval(malforming)
      await venue.stop()
    },
  }
}

/** A message with a value replaced, or a piece put in or cut out anywhere. */
function mutated(text: string, random: () => number): string {
  const piece = PIECES[Math.floor(random() * PIECES.length)] ?? ''
  const values = [...text.matchAll(/(?<=[:[,])("[^"]*"|[-\d.]+|true)/g)]
  const value = values[Math.floor(random() * values.length)]
  if (value && random() < 0.6) return splice(text, value.index, value[0].length, piece)
  return splice(text, Math.floor(random() * text.length), Math.floor(random() * 12), piece)
}

function splice(text: string, at: number, length: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at + length)
}
