import type { Feed } from '../../../src/core/feed.ts'
import { startRecording } from '../../../src/lab/recording/recorder.ts'
import { createEmbeddedVenue, type EmbeddedVenue } from '../../../src/simulator/embedded.ts'
import type { LiveMarket } from '../../../src/simulator/listing/live-rules.ts'
import type { ReadLiveWire } from '../../../src/simulator/mirror.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY, type EngineOrder, SELL } from '../../../src/simulator/state/state.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { passRecords } from '../../../src/tapes/write.ts'
import { LOG, pass, START_MS, WALL_MS } from '../embedded-fixture.ts'

export const ETH = 'PERP_ETH_USDC'
export const BTC = 'PERP_BTC_USDC'
export const AAVE = 'PERP_AAVE_USDC'
const STEP_MS = 100

/** An embedded venue on a virtual clock that stands for a live one. */
export function openLive(
  seed = 1,
  activity: 'sparse' | 'normal' = 'normal',
  markets: readonly string[] = [ETH],
): EmbeddedVenue {
  return createEmbeddedVenue({
    ...{ seed, markets, pricesCsv: null, activity, time: 'virtual', log: LOG },
    ...{ tape: null, paper: null },
    ...{ startMs: START_MS + 423_000, faucet: 0n, entities: openVenueFile(':memory:') },
    ...{ wallClock: { nowMs: () => WALL_MS }, monotonicMs: () => 0 },
  })
}

/** The markets of a live venue, as its public reads have them. */
export async function marketsOf(live: EmbeddedVenue): Promise<readonly LiveMarket[]> {
  const read = async (path: string) => {
    const answer = await live.answer({ method: 'GET', path, headers: {} })
    return JSON.parse('body' in answer ? answer.body : '').data.rows
  }
  const [rules, prices] = [await read('/v1/public/info'), await read('/v1/public/futures')]
  return rules.map((row: object, at: number) => ({ rules: row, prices: prices[at] }))
}

/** The live wire of a venue in this process. Its returned function cuts it, and joins it again. */
export function wireOf(live: EmbeddedVenue, feed: Feed = live.live) {
  const read: ReadLiveWire = ({ record, markets, lost }) => {
    const failed = (error: unknown) => {
      throw error
    }
    const writer = passRecords(record)
    const mirror = { lost, nowMs: live.time.clock.nowMs }
    return startRecording({ feed, writer, markets, failed, mirror })
  }
  return read
}

type Options = {
  readonly entities?: ReturnType<typeof openVenueFile>
  readonly read?: ReadLiveWire
  readonly markets?: readonly LiveMarket[] | null
}

/** Practice on a live venue of this process, at whose time its clock is. */
export async function openPaper(live: EmbeddedVenue, options: Options = {}) {
  const { entities = openVenueFile(':memory:'), read = wireOf(live) } = options
  const markets = options.markets === undefined ? await marketsOf(live) : options.markets
  const paper = createEmbeddedVenue({
    ...{ seed: 2, markets: null, pricesCsv: null, time: 'real', log: LOG, entities },
    ...{ startMs: START_MS, faucet: 0n, wallClock: live.time.clock, monotonicMs: () => 0 },
    ...{ tape: null, activity: 'sparse', paper: { stream: '', markets, read } },
  })
  paper.mirror?.start()
  return { paper, entities }
}

/** Lets both go on together. */
export async function passBoth(live: EmbeddedVenue, paper: EmbeddedVenue, ms: number) {
  for (let at = 0; at < ms; at += STEP_MS) {
    pass(live, STEP_MS)
    // A whole book is read by a promise.
    await Promise.resolve()
    paper.mirror?.step()
  }
}

/** Passes until the book of the live market is known. */
export async function known(live: EmbeddedVenue, paper: EmbeddedVenue) {
  for (let turn = 0; turn < 200 && paper.mirror?.state().known === 0; turn += 1) {
    await passBoth(live, paper, STEP_MS)
    await Bun.sleep(0)
  }
}

/** Practice on a live venue whose book it knows. */
export async function openKnown() {
  const live = openLive()
  const { paper, entities } = await openPaper(live)
  await known(live, paper)
  return { live, paper, entities }
}

/** Micro-USDC. */
export const MILLION = 1e12

/** A user of a venue with money, who places orders at the engine. */
export function userOf({ exchange, time }: EmbeddedVenue, name = '1') {
  const { engine } = exchange.simulation()
  const key = `0x${name.repeat(64)}`
  const opening = { key, leverage: 10, fees: { taker: 60_000, maker: 20_000 } }
  const account =
    engine.world.exchange.byKey.get(key) ?? engine.submit('open', opening, time.clock.nowMs())
  return {
    account,
    fund: (micro: number) =>
      engine.submit('deposit', { account: account.number, amount: micro }, time.clock.nowMs()),
    place: (terms: Terms): EngineOrder | Rejection => {
      const { side, market = 0, ...rest } = terms
      const order = { ...PLAIN_ORDER, ...rest, side: side === 'BUY' ? BUY : SELL } as const
      return engine.submit(
        'place',
        { ...order, account: account.number, market },
        time.clock.nowMs(),
      )
    },
    cancel: (order: EngineOrder) =>
      engine.submit('cancel', { account: account.number, order: order.id }, time.clock.nowMs()),
  }
}

type Terms = {
  readonly side: 'BUY' | 'SELL'
  readonly price: number
  readonly quantity: number
  readonly type: 'LIMIT' | 'MARKET' | 'IOC'
  /** The number of the market. Absent: 0. */
  readonly market?: number
}

/** An order that was taken. */
export function taken(order: EngineOrder | Rejection): EngineOrder {
  if (order instanceof Rejection) throw new Error(`refused: ${order.refusal}`)
  return order
}

/** The best prices of a venue's only market, in ticks. */
export function bestOf({ exchange }: EmbeddedVenue) {
  const [market] = exchange.simulation().engine.world.exchange.markets
  return { bid: market?.book.bids.best?.price ?? 0, ask: market?.book.asks.best?.price ?? 0 }
}
