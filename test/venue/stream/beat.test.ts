import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { accountIdOf } from '../../../src/crypto/account-id.ts'
import { publicKeyOf, signText } from '../../../src/crypto/signing.ts'
import { walletAddressOf } from '../../../src/crypto/wallet-signature.ts'
import { settled } from '../../fake-time.ts'
import { openVirtual, WALL_MS } from '../embedded-rig.ts'
import { BROKER_ID, binding, publicGet, registration, secretOf, signed } from '../trading-wallet.ts'

const ETH = 'PERP_ETH_USDC'
const BEAT_MS = 10

/** A venue whose time runs as fast as a wall's that is told to go on. */
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
      for (let at = 0; at < ms && !isEnough(); at += BEAT_MS) {
        monotonicMs += BEAT_MS
        vi.advanceTimersByTime(BEAT_MS)
      }
    },
  }
}

type Heard = { readonly atMs: number; readonly topic: string; readonly data: unknown }

function listener() {
  const heard: Heard[] = []
  const ignore = () => undefined
  const message = (told: Heard) => void heard.push(told)
  return {
    heard,
    sink: { message, opened: ignore, lost: ignore, refused: ignore, expired: ignore },
  }
}

const gaps = (heard: readonly Heard[]) =>
  heard.slice(1).map(({ atMs }, at) => atMs - (heard[at]?.atMs ?? 0))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('best prices are told every 10 ms when they change, the book every 200', () => {
  const { venue, goOn } = openRunning()
  const [prices, book] = [listener(), listener()]
  venue.live.subscribe(`${ETH}@bbo`, prices.sink)
  venue.live.subscribe(`${ETH}@orderbookupdate`, book.sink)
  goOn(300_000, () => prices.heard.length > 25 && book.heard.length > 10)
  expect(prices.heard.length).toBeGreaterThan(20)
  expect(Math.min(...gaps(prices.heard.slice(1)))).toBeWithin(BEAT_MS, 200)
  expect(Math.min(...gaps(book.heard))).toBeGreaterThanOrEqual(200)
  const shown = prices.heard.map(({ data }) => JSON.stringify(data))
  expect(shown.slice(1).filter((data, at) => data === shown[at])).toEqual([])
  venue.live.close()
})

test('an execution that the world brings is told within a beat, and nothing is when nobody trades', async () => {
  vi.useRealTimers()
  const { venue, goOn } = openRunning()
  const ask = async (request: Parameters<typeof venue.answer>[0]) =>
    JSON.parse((await venue.answer(request)).body)
  const [wallet, secret] = [secretOf('wallet'), secretOf('key')]
  const publicKey = publicKeyOf(secret)
  const nonce = await ask(publicGet('/v1/registration_nonce'))
  await ask(registration(wallet, nonce.data.registration_nonce, WALL_MS))
  const life = { wallMs: WALL_MS, expiresAtMs: WALL_MS + 300 * 86_400_000 }
  await ask(binding(wallet, { publicKey, scope: 'read,trading', brokerId: BROKER_ID, ...life }))
  const accountId = accountIdOf(walletAddressOf(wallet), BROKER_ID)
  vi.useFakeTimers()
  const { heard, sink } = listener()
  const timestamp = String(WALL_MS)
  const proof = { accountId, key: publicKey, timestamp, signature: signText(timestamp, secret) }
  venue.live.account(proof, sink)
  await settled()
  goOn(400)
  expect(heard).toEqual([])
  const body = JSON.stringify({ symbol: ETH, side: 'BUY', order_type: 'BID', order_quantity: 0.01 })
  const order = { method: 'POST', path: '/v1/order', timestampMs: WALL_MS, body }
  const placed = await ask(signed({ accountId, publicKey, secret }, order))
  const fills = () => heard.filter(({ data }) => Object(data).status === 'FILLED')
  expect(placed.success).toBe(true)
  goOn(600_000, () => fills().length > 0)
  const [fill] = fills()
  expect((fill?.atMs ?? 0) - Object(fill?.data).timestamp).toBeWithin(0, BEAT_MS + 1)
  venue.live.close()
})
