import fc from 'fast-check'
import type { Trader, VenueFixture } from './fixture.ts'
import { BTC } from './past/small-feed.ts'

/** One event on the exchange, in the wire's terms. */
export type Event =
  | { readonly kind: 'order'; readonly who: number; readonly fields: Record<string, unknown> }
  | { readonly kind: 'cancel'; readonly who: number }
  | {
      readonly kind: 'edit'
      readonly who: number
      readonly price: number
      readonly quantity: number
    }
  | { readonly kind: 'sleep'; readonly mark: number; readonly ms: number }
  | { readonly kind: 'restart' }

export const TRADERS = ['a', 'b', 'c'] as const
const HOUR_MS = 3_600_000
const BUCKET_MS = 5000

const who = fc.nat(TRADERS.length - 1)
const price = fc.integer({ min: 5950, max: 6050 }).map((tens) => tens * 10)
const quantity = fc.integer({ min: 1, max: 40 }).map((steps) => steps / 100)

const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who,
      fields: fc.record({
        order_type: fc.constantFrom(
          'LIMIT',
          'LIMIT',
          'LIMIT',
          'MARKET',
          'IOC',
          'FOK',
          'POST_ONLY',
          'ASK',
          'BID',
        ),
        side: fc.constantFrom('BUY', 'SELL'),
        order_price: price,
        order_quantity: quantity,
        reduce_only: fc.constantFrom(false, false, true),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), who, price, quantity }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sleep' as const),
      mark: price,
      ms: fc.constantFrom(BUCKET_MS, 60_000, HOUR_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)

/** Some dozens of events between three traders. */
export const scenarios = fc.array(events, { minLength: 10, maxLength: 40 })

/** Lets an event happen; what the venue refuses does not happen. */
export async function happen(
  fixture: VenueFixture,
  traders: readonly Trader[],
  event: Event,
): Promise<void> {
  const trader = 'who' in event ? traders[event.who] : undefined
  if (event.kind === 'restart') fixture.restart()
  else if (event.kind === 'sleep') {
    const { mark, ms } = event
    fixture.move(BTC, mark)
    fixture.quote(BTC, { bids: [[mark - 1, 0.3]], asks: [[mark + 1, 0.3]] })
    fixture.warp(ms)
    fixture.advance()
  } else if (event.kind === 'order') await trader?.order(event.fields)
  else if (event.kind === 'cancel') await trader?.delete('/v1/orders')
  else if (trader) await edit(trader, event.price, event.quantity)
}

async function edit(trader: Trader, order_price: number, order_quantity: number): Promise<void> {
  const [row] = (await trader.get('/v1/orders?status=INCOMPLETE')).data.rows
  if (!row) return
  const { order_id, symbol, side, type: order_type } = row
  await trader.put('/v1/order', { order_id, symbol, side, order_type, order_price, order_quantity })
}
