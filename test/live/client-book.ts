import type { Message } from './clients.ts'

/** What a client makes of the messages: `[price, quantity]` in order, both as text. */
export function clientBook(messages: readonly Message[]) {
  const sides = { asks: new Map<string, string>(), bids: new Map<string, string>() }
  for (const { type, data } of messages) {
    if (type !== 'snapshot' && type !== 'delta') continue
    for (const name of ['asks', 'bids'] as const) {
      const side = sides[name]
      if (type === 'snapshot') side.clear()
      for (const level of Object(data)[name]) {
        const [price, quantity] = Array.isArray(level) ? level : [level.price, level.quantity]
        if (quantity === '0') side.delete(price)
        else side.set(price, quantity)
      }
    }
  }
  return { asks: sorted(sides.asks), bids: sorted(sides.bids) }
}

/** Levels in the order of their prices, as numbers. */
export function sorted(side: ReadonlyMap<unknown, unknown>) {
  return [...side]
    .map(([price, quantity]) => [Number(price), Number(quantity)])
    .sort(([a = 0], [b = 0]) => a - b)
}
