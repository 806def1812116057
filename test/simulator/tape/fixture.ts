import fc from 'fast-check'
import { restoreWorld } from '../../../src/simulator/engine/persist/restore.ts'
import { worldSnapshot } from '../../../src/simulator/engine/persist/snapshot.ts'
import {
  advance,
  createWorld,
  observeMatches,
  settleWorld,
} from '../../../src/simulator/engine/run.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { type OrderRequest, PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { type Account, BUY, type EngineOrder, SELL } from '../../../src/simulator/state/state.ts'
import type { TapeToPlay } from '../../../src/simulator/state/tape.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'
import { openRecorded } from '../../../src/tapes/recorded.ts'
import type { TapeRecord } from '../../../src/tapes/records.ts'
import { SMALL_FRAMES, tapeOf, written } from '../../tapes/fixture.ts'

export const BEGIN_MS = Date.UTC(2026, 0, 1)
const BTC = 'PERP_BTC_USDC'
/** Prices of the tests are ticks around this one; quantities are steps. */
export const MIDDLE = 600_000

/** Records of one market, their times in milliseconds since the begin. */
export const MARKET: TapeRecord = {
  kind: 'market',
  market: 0,
  symbol: BTC,
  priceDecimals: 1,
  quantityDecimals: 5,
  rules: '',
}

type Level = readonly [price: number, quantity: number]

export function book(
  ms: number,
  bids: readonly Level[],
  asks: readonly Level[],
  isWhole = false,
): TapeRecord {
  const flat = (levels: readonly Level[]) =>
    levels.flatMap(([price, quantity]) => [MIDDLE + price, quantity])
  const atUs = (BEGIN_MS + ms) * 1000
  return { kind: 'book', market: 0, atUs, isWhole, bids: flat(bids), asks: flat(asks) }
}

export const whole = (ms: number, bids: readonly Level[], asks: readonly Level[]) =>
  book(ms, bids, asks, true)

export function trade(
  ms: number,
  side: 'BUY' | 'SELL',
  price: number,
  quantity: number,
): TapeRecord {
  const atUs = (BEGIN_MS + ms) * 1000
  return { kind: 'trade', market: 0, atUs, side, price: MIDDLE + price, quantity }
}

export function gap(fromMs: number, ms: number): TapeRecord {
  const [fromUs, atUs] = [(BEGIN_MS + fromMs) * 1000, (BEGIN_MS + ms) * 1000]
  return { kind: 'gap', market: 0, fromUs, atUs, cause: 'connection' }
}

function tapeWith(records: readonly TapeRecord[]): TapeToPlay {
  const recorded = openRecorded(tapeOf(written([MARKET, ...records], SMALL_FRAMES)))
  return { ...recorded, startsAtMs: BEGIN_MS }
}

/** A world that plays a tape, and how to use it. Prices are ticks from the middle. */
export function playing(records: readonly TapeRecord[]) {
  const tape = tapeWith(records)
  const listed = [...MARKETS.values()].filter(({ symbol }) => symbol === BTC)
  let world = createWorld({
    ...{ seed: 1, beginsAtMs: BEGIN_MS, prices: { kind: 'seeded' }, listed, tape },
  })
  const user = openUser(world)
  let key = user.key
  const account = (): Account => world.exchange.byKey.get(key) ?? user
  return {
    world: () => world,
    account,
    to: (ms: number) => advance(world, BEGIN_MS + ms),
    restart: () => {
      const stored = JSON.parse(JSON.stringify(worldSnapshot(world)))
      world = restoreWorld(stored, { prices: { kind: 'seeded' }, tape, listings: MARKETS })
      observeMatches(world)
      key = user.key
    },
    order: (side: 'BUY' | 'SELL', price: number, quantity: number, type = 'LIMIT' as const) =>
      order(world, account(), {
        side: side === 'BUY' ? BUY : SELL,
        price: MIDDLE + price,
        quantity,
        type,
      }),
    /** Levels as the book shows them: price and quantity, best first. */
    bids: () => sideOf(world, 'bids'),
    asks: () => sideOf(world, 'asks'),
    /** The orders at a price, first in the queue first: those of the tape as numbers, the user's with a u. */
    queue: (price: number) => queueAt(world, MIDDLE + price, account()),
  }
}

function openUser({ exchange }: EngineWorld): Account {
  const fees = { taker: 60_000, maker: 20_000 }
  const account = openAccount(exchange, { key: `0x${'1'.repeat(64)}`, fees, leverage: 10 })
  deposit(exchange, account, 1e13)
  return account
}

function order(
  world: EngineWorld,
  account: Account,
  terms: Pick<OrderRequest, 'side' | 'price' | 'quantity' | 'type'>,
): EngineOrder {
  const { exchange, nowMs } = world
  const [market] = exchange.markets
  if (!market) throw new Error('no market')
  const placed = placeOrder(exchange, { ...PLAIN_ORDER, ...terms, account, market }, nowMs)
  if (placed instanceof Rejection) throw new Error(`refused: ${placed.message}`)
  settleWorld(world, nowMs)
  return placed
}

function sideOf(world: EngineWorld, side: 'bids' | 'asks'): number[][] {
  const levels: number[][] = []
  const { orders } = worldSnapshot(world).scenes[0]?.market ?? { orders: [] }
  for (const { side: sign, price, quantity, executed } of orders) {
    if (sign !== (side === 'bids' ? BUY : SELL)) continue
    const last = levels.at(-1)
    if (last?.[0] === price - MIDDLE) last[1] = (last[1] ?? 0) + quantity - executed
    else levels.push([price - MIDDLE, quantity - executed])
  }
  return levels
}

function queueAt(world: EngineWorld, price: number, account: Account): string {
  const { orders } = worldSnapshot(world).scenes[0]?.market ?? { orders: [] }
  return orders
    .filter((each) => each.price === price)
    .map(({ account: owner, quantity, executed }) => [owner, quantity - executed] as const)
    .map(([owner, left]) => `${owner === account.number ? 'u' : ''}${left}`)
    .join(' ')
}

const level = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(30))
const side = fc.array(level, { maxLength: 5 })

/** Records of one market in order, whose books are never crossed. */
export const STREAMS = fc
  .array(
    fc.record({
      wait: fc.nat(3),
      kind: fc.constantFrom('whole', 'book', 'book', 'book', 'trade', 'trade', 'gap'),
      ...{ bids: side, asks: side, isBuy: fc.boolean(), away: fc.integer({ min: 1, max: 6 }) },
      size: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) => {
    const records: TapeRecord[] = []
    let ms = 0
    let isKnown = false
    for (const { wait, kind, bids, asks, isBuy, away, size } of steps) {
      const fromMs = ms
      if (records.length > 0) ms += wait
      if (kind === 'gap' && records.length > 0) {
        records.push(gap(fromMs, ms))
        isKnown = false
      } else if (kind === 'trade') {
        records.push(trade(ms, isBuy ? 'BUY' : 'SELL', isBuy ? away : -away, size))
      } else {
        const below = bids.map(([price, quantity]) => [-price, quantity] as const)
        records.push(book(ms, below, asks, kind === 'whole' || !isKnown))
        isKnown = true
      }
    }
    return { records, endMs: ms }
  })
