import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from '../../src/core/crypto/keccak.ts'
import { wirePublicKey } from '../../src/core/crypto/signing.ts'
import { toWalletAddress } from '../../src/core/crypto/wallet-signature.ts'
import { isObject } from '../../src/core/json.ts'
import type { EntityChange, EntityStore, LogFields } from '../../src/core/ports.ts'
import { openExchange } from '../../src/simulator/exchange/exchange.ts'
import type { VenueState } from '../../src/simulator/exchange/state.ts'
import { createLiveFeed } from '../../src/simulator/feed/live-feed.ts'
import type { FeedBook } from '../../src/simulator/listing/feed.ts'
import type { Market } from '../../src/simulator/listing/instruments.ts'
import type { VenueRequest } from '../../src/simulator/messages/message.ts'
import { createFeed } from '../../src/simulator/past/seeded-feed.ts'
import { createVenue, type Venue, type VenueSetup } from '../../src/simulator/venue.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { failed } from './failed.ts'
import { faultLog, publicRowsOf, traderOf } from './fixture-parts.ts'
import { OPENING, type Quotes, smallInitialState, WORLD_START_MS } from './past/small-feed.ts'
import { openMaker, requote } from './test-maker.ts'
import {
  type Auth,
  BROKER_ID,
  binding,
  publicGet,
  registration,
  secretOf,
} from './trading-wallet.ts'

/** Longer than any test lets pass. */
const KEY_LIFE_MS = 300 * 86_400_000

/** What came back: the HTTP status and the parsed envelope. */
export type Answer = {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly code: unknown
  /** Deliberately loose: tests say what they expect of it. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
  readonly data: any
}

/** A registered wallet with a bound trading key. */
export type Trader = Auth & {
  readonly address: string
  readonly get: (path: string) => Promise<Answer>
  readonly delete: (path: string) => Promise<Answer>
  readonly post: (path: string, body: unknown) => Promise<Answer>
  readonly put: (path: string, body: unknown) => Promise<Answer>
  /** Places an order; what is not said is a LIMIT BUY of 0.1 BTC at 59000. */
  readonly order: (fields?: Record<string, unknown>) => Promise<Answer>
}

/** A venue of two quiet markets on a real store, with clocks that move only when a test moves them. */
export type VenueFixture = {
  readonly faults: LogFields[]
  readonly venue: () => Venue
  /** Brings the simulation to the venue's time, and stores it. */
  readonly advance: () => void
  readonly store: () => EntityStore
  readonly nowMs: () => number
  /** Moves both clocks. */
  readonly sleep: (ms: number) => void
  /** Moves the venue's clock alone. */
  readonly warp: (ms: number) => void
  readonly book: (symbol: string) => FeedBook
  /** How many trades a market has seen. */
  readonly trades: (symbol: string) => number
  /** Moves a market's index at once, and its mark with it. */
  readonly move: (symbol: string, price: number) => void
  /** Replaces the market maker's quotes in a market. */
  readonly quote: (symbol: string, quotes: Quotes) => void
  readonly exchange: () => VenueState
  readonly send: (request: VenueRequest) => Promise<Answer>
  readonly trader: (name: string, options?: TraderOptions) => Promise<Trader>
  /** Closes the store as a killed process would leave it, and opens everything again. */
  readonly restart: () => void
  readonly [Symbol.dispose]: () => void
}

type TraderOptions = {
  readonly scope?: string
  readonly brokerId?: string
  readonly keyLifeMs?: number
}

export type VenueFixtureOptions = {
  readonly faucet?: bigint
  /** What new accounts pay. */
  readonly fees?: VenueSetup['fees']
  /** What the store holds before the venue is first opened. */
  readonly stored?: readonly EntityChange[]
  /** When its world begins. */
  readonly beginsAtMs?: number
  /** Its markets; BTC and ETH where this is left out. */
  readonly listed?: readonly Market[]
}

export function openVenueFixture(options: VenueFixtureOptions = {}): VenueFixture {
  const { faucet = 10_000_000_000n, fees, stored = [], listed } = options
  const { beginsAtMs = WORLD_START_MS } = options
  const folder = mkdtempSync(join(tmpdir(), 'prepd-venue-'))
  const faults: LogFields[] = []
  let wallMs = beginsAtMs
  let venueMs = beginsAtMs
  let count = 0
  let store = openVenueFile(join(folder, 'venue.sqlite'))
  store.commit(stored)
  const past = createFeed({ seed: 1, beginsAtMs })
  let { exchange, venue } = open()
  const feed = createLiveFeed(past, () => exchange.simulation())

  // A shock takes a market away from these for good.
  function priceAt(symbol: string): number {
    return OPENING[symbol]?.price ?? 0
  }

  function open(): { readonly exchange: VenueState; readonly venue: Venue } {
    const clock = { nowMs: () => venueMs }
    const exchange = openExchange({
      entities: store,
      initialState: smallInitialState(priceAt, beginsAtMs, listed),
      failed,
    })
    exchange.simulation()
    exchange.advance(venueMs)
    openMaker(exchange, venueMs)
    const venue = createVenue({
      exchange,
      ready: () => null,
      publicRows: publicRowsOf({ past, simulation: exchange.simulation, beginsAtMs }),
      priceThen: ({ spec }) => Math.round(priceAt(spec.symbol) * 10),
      clock,
      wallClock: { nowMs: () => wallMs },
      random: {
        bytes: (length) => {
          count += 1
          return keccak256(Buffer.from(`chance ${count}`)).subarray(0, length)
        },
      },
      entities: store,
      faucet,
      ...(fees && { fees }),
      log: faultLog(faults),
    })
    return { exchange, venue }
  }

  async function send(request: VenueRequest): Promise<Answer> {
    const { status, body } = await venue.answer(request)
    const parsed: unknown = JSON.parse(body)
    if (!isObject(parsed)) return { status, body: {}, code: undefined, data: parsed }
    return { status, body: parsed, code: parsed['code'], data: parsed['data'] }
  }

  function sceneOf(symbol: string) {
    return exchange.simulation().engine.world.scenes.find(({ listed }) => listed.symbol === symbol)
  }

  function advance(): void {
    exchange.advance(venueMs)
    exchange.commit()
  }

  const fixture: VenueFixture = {
    faults,
    exchange: () => exchange,
    venue: () => venue,
    advance,
    store: () => store,
    nowMs: () => venueMs,
    sleep(ms) {
      wallMs += ms
      venueMs += ms
    },
    warp(ms) {
      venueMs += ms
    },
    book: (symbol) => {
      advance()
      return feed.book(symbol, 100)
    },
    trades: (symbol) => sceneOf(symbol)?.history.trades.length ?? 0,
    move(symbol, price) {
      const { engine } = exchange.simulation()
      engine.advance(venueMs)
      const scene = sceneOf(symbol)
      if (!scene) throw new RangeError(symbol)
      const share = (price * 10) / scene.index - 1
      engine.submit('shock', { market: scene.market.number, share }, venueMs)
      exchange.commit()
    },
    quote: (symbol, quotes) => requote(exchange, symbol, quotes, venueMs),
    send,
    async trader(name, options = {}) {
      const { brokerId = BROKER_ID, scope = 'read,trading', keyLifeMs = KEY_LIFE_MS } = options
      const wallet = secretOf(`wallet ${name}`)
      const secret = secretOf(`key ${name} ${scope}`)
      const publicKey = wirePublicKey(secret)
      const nonce = await send(publicGet('/v1/registration_nonce'))
      await send(registration(wallet, nonce.data.registration_nonce, wallMs, brokerId))
      const answer = await send(
        binding(wallet, { publicKey, scope, brokerId, wallMs, expiresAtMs: wallMs + keyLifeMs }),
      )
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      const address = toWalletAddress(wallet)
      const account = await send(
        publicGet(`/v1/get_account?address=${address}&broker_id=${brokerId}`),
      )
      const auth = { accountId: String(account.data.account_id), publicKey, secret, address }
      return traderOf(auth, send, () => wallMs)
    },
    restart() {
      store.close()
      store = openVenueFile(join(folder, 'venue.sqlite'))
      const again = open()
      exchange = again.exchange
      venue = again.venue
    },
    [Symbol.dispose]() {
      store.close()
      rmSync(folder, { recursive: true })
    },
  }
  return fixture
}
