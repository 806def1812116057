import { MINUTE_MS, SECOND_MS } from '../../spec/durations.ts'
import { createObserver, type Seen } from '../../tape/observe.ts'
import { advance, createWorld } from '../../venue/engine/run.ts'
import type { Market as Listed } from '../../venue/listing/instruments.ts'
import type { Profile } from '../../venue/state/flow.ts'
import type { Level } from '../../venue/state/state.ts'
import type { Scene } from '../../venue/state/world.ts'

/** Makers know their market after so long. */
const WARM_UP_MS = 5 * MINUTE_MS

/** A simulated market: its rules, price, turnover and profile, and when and how long it is watched. */
export type Model = {
  readonly listed: Listed
  readonly profile: Profile
  readonly fromMs: number
  readonly forMs: number
}

/** The figures of a simulated market over the length of a tape, once for each seed. */
export function observeModel({ listed, profile, fromMs, forMs }: Model, seed: number): Seen {
  const beginsAtMs = Math.floor((fromMs - WARM_UP_MS) / SECOND_MS) * SECOND_MS
  const prices = { kind: 'seeded' } as const
  const world = createWorld({
    ...{ seed, beginsAtMs, prices, listed: [listed], activity: 'normal', profile },
  })
  const [scene] = world.scenes
  if (!scene) throw new RangeError('a model has one market')
  advance(world, beginsAtMs + WARM_UP_MS)
  const observer = createObserver()
  const { spec } = scene.market
  const [tick, step] = [spec.tick / 1e8, spec.step / 1e8]
  world.exchange.observers.push({
    matched: ({ atMs, taker, price, quantity }) =>
      observer.trade(atMs, taker.side, price * tick, quantity * step),
  })
  for (let ms = SECOND_MS; ms <= forMs; ms += SECOND_MS) {
    const atMs = beginsAtMs + WARM_UP_MS + ms
    advance(world, atMs)
    observer.look(bestOf(scene, tick, step), atMs)
  }
  return observer.seen()
}

function bestOf({ market: { book } }: Scene, tick: number, step: number) {
  const [bid, ask] = [book.bids.best, book.asks.best]
  if (!bid || !ask) return null
  const quantityOf = ({ shown }: Level) => shown * step
  return {
    ...{ bid: bid.price * tick, ask: ask.price * tick },
    ...{ bidQuantity: quantityOf(bid), askQuantity: quantityOf(ask) },
  }
}
