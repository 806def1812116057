#!/usr/bin/env node
// From nothing to an order with Node.js alone: register, bind, order, cancel, read.
//   node config/samples/sign.mjs [http://127.0.0.1:8080]
import { createECDH, generateKeyPairSync, sign } from 'node:crypto'

const BASE = process.argv[2] ?? 'http://127.0.0.1:8080'
const CHAIN_ID = 42_161
const DAY_MS = 86_400_000

async function call(path, body) {
  const headers = { 'content-type': 'application/json' }
  const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(BASE + path, init)
  const answer = await response.json()
  if (answer.code === 'rate_limited' && answer.meta) {
    // Nothing was done: the answer says when to come again.
    await new Promise((resolve) => setTimeout(resolve, answer.meta.retryAfterSeconds * 1000))
    return call(path, body)
  }
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

// --- The wallet: secp256k1. A real one answers eth_signTypedData_v4 with the same 65 bytes.

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const MASK = (1n << 64n) - 1n
const number = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const word = (value) => value.toString(16).padStart(64, '0')
const rotated = (lane, by) => ((lane << by) | (lane >> (64n - by))) & MASK

/** Keccak-256 of at most 135 bytes: the hash of Ethereum, which is not SHA3-256. */
function keccak256(bytes) {
  const block = Buffer.alloc(200)
  block.set(bytes)
  block[bytes.length] ^= 0x01
  block[135] ^= 0x80
  const a = Array.from({ length: 25 }, (_, at) => block.readBigUInt64LE(8 * at))
  for (let round = 0, bits = 1; round < 24; round++) {
    const c = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20])
    for (let at = 0; at < 25; at++) a[at] ^= c[(at + 4) % 5] ^ rotated(c[(at + 1) % 5], 1n)
    for (let t = 0, x = 1, y = 0, carried = a[1]; t < 24; t++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const lane = a[x + 5 * y]
      a[x + 5 * y] = rotated(carried, BigInt((((t + 1) * (t + 2)) / 2) % 64))
      carried = lane
    }
    for (let y = 0; y < 25; y += 5) {
      const row = a.slice(y, y + 5)
      for (let x = 0; x < 5; x++) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & MASK)
    }
    for (let j = 0n; j < 7n; j++) {
      bits = ((bits << 1) ^ ((bits >> 7) * 0x71)) % 256
      if (bits & 2) a[0] ^= 1n << ((1n << j) - 1n)
    }
  }
  const out = Buffer.alloc(32)
  for (let at = 0; at < 4; at++) out.writeBigUInt64LE(a[at], 8 * at)
  return out
}

function newWallet() {
  const pair = createECDH('secp256k1')
  const publicKey = pair.generateKeys()
  const address = `0x${keccak256(publicKey.subarray(1)).subarray(12).toString('hex')}`
  return { address, secret: number(pair.getPrivateKey()) }
}

function power(base, exponent) {
  let result = 1n
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = (b * b) % N) if (e & 1n) result = (result * b) % N
  return result
}

/** r, s and v over a 32-byte digest. The one-time key of ECDSA is a fresh pair of the same curve; s is low (EIP-2). */
function signDigest(secret, digest) {
  const once = createECDH('secp256k1')
  const point = once.generateKeys()
  const r = number(point.subarray(1, 33)) % N
  const s = (power(number(once.getPrivateKey()), N - 2n) * (number(digest) + r * secret)) % N
  const odd = point[64] & 1
  const high = s > N / 2n
  return `0x${word(r)}${word(high ? N - s : s)}${(27 + (high ? 1 - odd : odd)).toString(16)}`
}

/** Asks what the wallet is to sign, and makes the body that goes back. */
async function signedByWallet(wallet, asked) {
  const { message, digest } = await call('/api/prep/typed-data', { chainId: CHAIN_ID, ...asked })
  const signature = signDigest(wallet.secret, Buffer.from(digest.slice(2), 'hex'))
  return { message: { ...message, brokerId: 'any' }, signature, address: wallet.address }
}

// --- The trading key: Ed25519. It signs timestamp + METHOD + path + body.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes) {
  let text = ''
  for (let value = number(bytes); value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros) + text
}

const pair = generateKeyPairSync('ed25519')
const tradingKey = `ed25519:${base58(pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32))}`

async function relay(accountId, method, path, body = '') {
  const timestamp = String(Date.now())
  const text = timestamp + method + path + body
  const signature = sign(null, Buffer.from(text), pair.privateKey).toString('base64url')
  const auth = { accountId, key: tradingKey, signature, timestamp }
  return call('/api/prep/relay', { method, path, ...(body && { body }), auth })
}

const wallet = newWallet()
const { accountId } = await call('/api/prep/register', await signedByWallet(wallet, { kind: 'register' }))
console.log(`registered ${accountId}`)

const expiration = Date.now() + DAY_MS
const binding = { kind: 'trading-key', tradingKey, scope: 'read,trading', expiration }
await call('/api/prep/trading-key', await signedByWallet(wallet, binding))
console.log(`bound ${tradingKey}`)

const { bids } = await call('/api/prep/orderbook?symbol=PERP_ETH_USDC')
const order = {
  symbol: 'PERP_ETH_USDC',
  order_type: 'LIMIT',
  side: 'BUY',
  order_price: Math.floor(bids[0].price * 0.95),
  order_quantity: 0.1,
}
const { order_id } = await relay(accountId, 'POST', '/v1/order', JSON.stringify(order))
console.log(`ordered ${order_id}`)
await relay(accountId, 'DELETE', `/v1/order?order_id=${order_id}&symbol=PERP_ETH_USDC`)
console.log(`cancelled ${order_id}`)
const { holding } = await relay(accountId, 'GET', '/v1/client/holding')
console.log(`holds ${holding[0].holding} ${holding[0].token}`)
