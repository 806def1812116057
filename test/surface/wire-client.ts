import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { signText, wirePublicKey } from '../../src/core/crypto/signing.ts'
import { toWalletAddress } from '../../src/core/crypto/wallet-signature.ts'
import {
  type Auth,
  BROKER_ID,
  binding,
  publicGet,
  registration,
  secretOf,
  signed,
} from '../simulator/trading-wallet.ts'

type Request = ReturnType<typeof signed>

/** What a client of the venue's wire saw, to the byte: status, type and body of each answer. */
export type WireClient = {
  readonly send: (request: Request) => Promise<string>
  readonly call: (method: string, path: string, body?: object) => Promise<string>
  readonly seen: readonly string[]
  readonly auth: Auth
}

/** A client with an account and a key, whose signatures are dated by a clock that the caller moves. */
export async function openWireClient(
  url: string,
  name: string,
  nowMs: () => number,
): Promise<WireClient> {
  const seen: string[] = []
  const wallet = secretOf(`wallet ${name}`)
  const secret = secretOf(`key ${name}`)
  const publicKey = wirePublicKey(secret)
  const auth = { accountId: mainAccountId(toWalletAddress(wallet), BROKER_ID), publicKey, secret }

  async function send({ method, path, headers, body }: Request): Promise<string> {
    const response = await fetch(url + path, { method, headers, ...(body && { body }) })
    const text = await response.text()
    seen.push(
      `${method} ${path} ${response.status} ${response.headers.get('content-type')} ${text}`,
    )
    return text
  }

  const nonce = JSON.parse(await send(publicGet('/v1/registration_nonce')))
  await send(registration(wallet, nonce.data.registration_nonce, nowMs()))
  const life = { wallMs: nowMs(), expiresAtMs: nowMs() + 30 * 86_400_000 }
  await send(binding(wallet, { publicKey, scope: 'read,trading', brokerId: BROKER_ID, ...life }))
  return {
    send,
    seen,
    auth,
    call: (method, path, body) =>
      send(
        signed(auth, {
          method,
          path,
          timestampMs: nowMs(),
          ...(body && { body: JSON.stringify(body) }),
        }),
      ),
  }
}

/** A socket of the venue's wire that keeps every text it is sent but the pings, which come by the wall's clock. */
export type WireSocket = {
  readonly texts: readonly string[]
  readonly send: (message: object) => void
  /** Settles when everything that was sent before this is here. */
  readonly level: () => Promise<void>
  readonly close: () => void
}

export async function openWireSocket(url: string, path: string): Promise<WireSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path)
  const texts: string[] = []
  const waiting: (() => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    const text = String(data)
    if (text.startsWith('{"event":"pong"')) waiting.shift()?.()
    else if (!text.startsWith('{"event":"ping"')) texts.push(text)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  const send = (message: object) => socket.send(JSON.stringify(message))
  return {
    texts,
    send,
    level: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        send({ event: 'ping' })
      }),
    close: () => socket.close(),
  }
}

/** What proves a key to the private socket. */
export function proofOf({ publicKey, secret }: Auth, nowMs: number) {
  const timestamp = String(nowMs)
  return { orderly_key: publicKey, timestamp, sign: signText(timestamp, secret) }
}
