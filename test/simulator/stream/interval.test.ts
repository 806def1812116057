import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import { signText, wirePublicKey } from '../../../src/core/crypto/signing.ts'
import { toWalletAddress } from '../../../src/core/crypto/wallet-signature.ts'
import { settled } from '../../fake-time.ts'
import { openVirtual, WALL_MS } from '../embedded-fixture.ts'
import { BROKER_ID, binding, publicGet, registration, secretOf, signed } from '../trading-wallet.ts'

const ETH = 'PERP_ETH_USDC'
const INTERVAL_MS = 10

/** A venue whose time runs as fast as a wall clock that the test moves. */
function openRunning() {
  let monotonicMs = 0
  const { venue } = openVirtual(1, () => monotonicMs)
  venue.time.advance?.(60_000)
  venue.advance()
  venue.time.run?.(1)
  return {
    venue,
    /** Lets so much time go by, a beat at a time, or until it is enough. */
    goOn: (ms: number, isEnough: () => boolean = () => false) => {
      for (let at = 0; at < ms && !isEnough(); at += INTERVAL_MS) {
        monotonicMs += INTERVAL_MS
        vi.advanceTimersByTime(INTERVAL_MS)
      }
    },
  }
}

type Received = { readonly atMs: number; readonly topic: string; readonly data: unknown }

function listener() {
  const received: Received[] = []
  const ignore = () => undefined
  const message = (each: Received) => void received.push(each)
  return {
    received,
    sink: { message, opened: ignore, lost: ignore, refused: ignore, expired: ignore },
  }
}

const gaps = (received: readonly Received[]) =>
  received.slice(1).map(({ atMs }, at) => atMs - (received[at]?.atMs ?? 0))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// Slow: a market is simulated in steps of ten milliseconds.
test('best prices are told every 10 ms when they change, the book every 200', () => {
  const { venue, goOn } = openRunning()
  const [prices, book] = [listener(), listener()]
  venue.live.subscribe(`${ETH}@bbo`, prices.sink)
  venue.live.subscribe(`${ETH}@orderbookupdate`, book.sink)
  goOn(300_000, () => prices.received.length > 25 && book.received.length > 10)
  expect(prices.received.length).toBeGreaterThan(20)
  expect(Math.min(...gaps(prices.received.slice(1)))).toBeWithin(INTERVAL_MS, 200)
  expect(Math.min(...gaps(book.received))).toBeGreaterThanOrEqual(200)
  const shown = prices.received.map(({ data }) => JSON.stringify(data))
  expect(shown.slice(1).filter((data, at) => data === shown[at])).toEqual([])
  venue.live.close()
})

test('an execution that the world brings is told within a beat, and nothing is when nobody trades', async () => {
  vi.useRealTimers()
  const { venue, goOn } = openRunning()
  const ask = async (request: Parameters<typeof venue.answer>[0]) =>
    JSON.parse((await venue.answer(request)).body)
  const [wallet, secret] = [secretOf('wallet'), secretOf('key')]
  const publicKey = wirePublicKey(secret)
  const nonce = await ask(publicGet('/v1/registration_nonce'))
  await ask(registration(wallet, nonce.data.registration_nonce, WALL_MS))
  const life = { wallMs: WALL_MS, expiresAtMs: WALL_MS + 300 * 86_400_000 }
  await ask(binding(wallet, { publicKey, scope: 'read,trading', brokerId: BROKER_ID, ...life }))
  const accountId = mainAccountId(toWalletAddress(wallet), BROKER_ID)
  vi.useFakeTimers()
  const { received, sink } = listener()
  const timestamp = String(WALL_MS)
  const proof = { accountId, key: publicKey, timestamp, signature: signText(timestamp, secret) }
  venue.live.account(proof, sink)
  await settled()
  goOn(400)
  expect(received).toEqual([])
  const body = JSON.stringify({ symbol: ETH, side: 'BUY', order_type: 'BID', order_quantity: 0.01 })
  const order = { method: 'POST', path: '/v1/order', timestampMs: WALL_MS, body }
  const placed = await ask(signed({ accountId, publicKey, secret }, order))
  const fills = () => received.filter(({ data }) => Object(data).status === 'FILLED')
  expect(placed.success).toBe(true)
  goOn(600_000, () => fills().length > 0)
  const [fill] = fills()
  expect((fill?.atMs ?? 0) - Object(fill?.data).timestamp).toBeWithin(0, INTERVAL_MS + 1)
  venue.live.close()
})
