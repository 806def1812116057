#!/usr/bin/env node
// A stop with Node.js alone: from now on the account may only cancel and reduce, until its wallet lifts that.
//   SERVICE_ACCOUNT_ID=0x… SERVICE_TRADING_KEY=… node config/samples/freeze.mjs [http://127.0.0.1:8080]
// `prepd --mode admin account create` prints both. The wallet has to have signed a mandate: POST /api/prep/mandate.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

const BASE = process.argv[2] ?? 'http://127.0.0.1:8080'
const { SERVICE_ACCOUNT_ID: accountId, SERVICE_TRADING_KEY: secret = '' } = process.env

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

function signed(method, path, body = '') {
  const timestamp = String(Date.now())
  const text = Buffer.from(timestamp + method + path + body)
  const signature = sign(null, text, privateKey).toString('base64url')
  return { method, path, body: body || null, auth: { accountId, key, signature, timestamp } }
}

async function relay(envelope) {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(envelope) }
  const response = await fetch(`${BASE}/api/prep/relay`, init)
  const answer = await response.json()
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer
}

// The venue has to have accepted the key once.
await relay(signed('GET', '/v1/client/info'))
const { limits } = await relay(signed('GET', '/api/prep/mandate'))
console.log(`limits ${JSON.stringify(limits)}`)
const { frozenBy } = await relay(signed('PUT', '/api/prep/mandate', '{"frozen":true}'))
console.log(`frozen by ${frozenBy}`)
