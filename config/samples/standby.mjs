#!/usr/bin/env node
// A dead man's switch with Node.js alone: all orders are cancelled when this program is silent for 30 seconds.
//   SERVICE_ACCOUNT_ID=0x… SERVICE_TRADING_KEY=… node config/samples/standby.mjs [http://127.0.0.1:8080]
// `prepd --mode admin account create` prints both. The key stays here: only signed cancels are deposited.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

const BASE = process.argv[2] ?? 'http://127.0.0.1:8080'
const { SERVICE_ACCOUNT_ID: accountId, SERVICE_TRADING_KEY: secret = '' } = process.env
const AFTER_MS = 30_000
const RENEW_MS = 10_000
/** Signed so far apart, three cancels reach 13 minutes ahead, should this program be away for longer than it thinks. */
const APART_MS = 250_000

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes) {
  let text = ''
  for (let value = BigInt(`0x${bytes.toString('hex')}`); value > 0n; value /= 58n)
    text = ALPHABET[Number(value % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

// A seed of 32 bytes as PKCS #8.
const seed = Buffer.from(secret.replace(/^0x/, ''), 'hex')
const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).subarray(-32)
const key = `ed25519:${base58(publicKey)}`

function signed(method, path, timestampMs) {
  const timestamp = String(timestampMs)
  const signature = sign(null, Buffer.from(timestamp + method + path), privateKey).toString('base64url')
  return { method, path, auth: { accountId, key, signature, timestamp } }
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(BASE + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer
}

async function renew() {
  const nowMs = Date.now()
  const envelopes = [0, 1, 2].map((at) => signed('DELETE', '/v1/orders', nowMs + at * APART_MS))
  const { state, sendsAtMs } = await post('/api/prep/standby', { envelopes, afterMs: AFTER_MS })
  console.log(`${state} until ${new Date(sendsAtMs).toISOString()}`)
}

const timer = setInterval(() => renew().catch(({ message }) => console.error(message)), RENEW_MS)

process.on('SIGINT', async () => {
  clearInterval(timer)
  const { state } = await post('/api/prep/relay', signed('DELETE', '/api/prep/standby', Date.now()))
  console.log(state)
})

// The venue has to have accepted the key once.
await post('/api/prep/relay', signed('GET', '/v1/client/info', Date.now()))
await renew()
