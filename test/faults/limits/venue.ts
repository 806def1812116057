import { type Recorded, startRecordingUpstream } from '../../recording-upstream.ts'
import wire from '../../vectors/tools-wire.json'

export const BTC = 'PERP_BTC_USDC'
/** Orders of the races buy at this price, in steps of 50 USDC. */
export const PRICE = 50_000
export const STEP = 0.001

/** The limits of the races, in USDC. */
export const LIMITS = { order: 300, daily: 3000, perMinute: 30 } as const

/** An order as the venue met it. `atMs` is the time of its round, which its id begins with. */
type Met = {
  readonly atMs: number
  readonly clientOrderId: string
  readonly symbol: string
  readonly quantity: number
  /** What was executed, of an order that has ended. */
  readonly executed: number | null
}

/** What became of a race. */
export type RaceFigures = {
  readonly met: number
  /** The fullest day, and the fullest minute. */
  readonly fullestDay: number
  readonly fullestMinute: number
  /** Every limit that was passed, and every order that was met twice. */
  readonly passed: readonly string[]
}

/** A venue that refuses some orders, ends some in part, and leaves some without an answer. */
export async function startRaceVenue(random: () => number) {
  const met: Met[] = []

  function place(text: string) {
    const { symbol, order_quantity: quantity, client_order_id: clientOrderId } = JSON.parse(text)
    const draw = random()
    if (draw < 0.15) return { json: { success: false, code: -1101, message: 'margin' } }
    const ends = draw < 0.45
    const executed = ends ? Math.round((quantity / STEP) * random()) * STEP : null
    const [, atMs] = String(clientOrderId).split('-')
    met.push({ atMs: Number(atMs), clientOrderId, symbol, quantity, executed })
    if (draw > 0.95) return 'close' as const
    const data = { ...wire['POST /v1/order'].data, order_id: met.length }
    return {
      json: { success: true, timestamp: 1, data: { ...data, client_order_id: clientOrderId } },
    }
  }

  function ended() {
    const rows = met.flatMap(({ executed, quantity }, at) => {
      if (executed === null) return []
      const status = executed === quantity ? 'FILLED' : 'CANCELLED'
      const filled = { total_executed_quantity: executed, average_executed_price: PRICE }
      return [{ order_id: at + 1, status, quantity, ...filled }]
    })
    return { json: { success: true, timestamp: 1, data: { rows: rows.slice(-100) } } }
  }

  const upstream = await startRecordingUpstream(({ method, target, text }: Recorded) => {
    const path = target.split('?')[0]
    if (path === '/v1/order' && method === 'POST') return place(text)
    if (path === '/v1/orders') return ended()
    const listed = Object.entries(wire).find(([route]) => route === `${method} ${path}`)?.[1]
    return { json: listed ?? { success: false, code: -1006, message: 'not found' } }
  })
  return { ...upstream, figures: () => judged(met) }
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** What can have been opened: all of an order that is open or unknown, of one that has ended what was executed. */
function openedUsdc({ executed, quantity }: Met): number {
  return Math.round((executed ?? quantity) * PRICE)
}

/** Whether so much came through that the limits had something to hold: a busy machine needs more orders for it. */
export function hasReached({ fullestMinute, fullestDay }: RaceFigures): boolean {
  return fullestMinute > LIMITS.perMinute / 4 && fullestDay > LIMITS.daily / 3
}

function judged(met: readonly Met[]): RaceFigures {
  const times = [...new Set(met.map(({ atMs }) => atMs))]
  const within = (atMs: number, spanMs: number) =>
    met.filter((order) => order.atMs > atMs - spanMs && order.atMs <= atMs)
  const days = times.map((atMs) =>
    within(atMs, DAY_MS).reduce((sum, order) => sum + openedUsdc(order), 0),
  )
  const minutes = times.map((atMs) => within(atMs, MINUTE_MS).length)
  const ids = met.map(({ clientOrderId }) => clientOrderId)
  return {
    met: met.length,
    fullestDay: Math.max(0, ...days),
    fullestMinute: Math.max(0, ...minutes),
    passed: [
      ...days.filter((sum) => sum > LIMITS.daily).map((sum) => `a day of ${sum} USDC`),
      ...minutes.filter((sum) => sum > LIMITS.perMinute).map((sum) => `a minute of ${sum} orders`),
      ...met
        .filter((order) => order.symbol !== BTC || order.quantity * PRICE > LIMITS.order + 0.001)
        .map(({ symbol, quantity }) => `an order of ${quantity} ${symbol}`),
      ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} twice`),
    ],
  }
}
