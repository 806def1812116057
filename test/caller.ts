import type { Method } from '../src/contract/allowlist.ts'
import { signedText } from '../src/core/crypto/signed-text.ts'
import { signText, wirePublicKey } from '../src/core/crypto/signing.ts'

/** Somebody with a trading key, as a client of the relay sees itself. */
export type TestCaller = {
  readonly accountId: string
  readonly key: string
  readonly secret: Uint8Array
}

/** A caller nobody has met. */
export function newCaller(
  accountId = `0x${Buffer.from(randomBytes(32)).toString('hex')}`,
): TestCaller {
  const secret = randomBytes(32)
  return { accountId, key: wirePublicKey(secret), secret }
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

export type TestCall = {
  readonly method: Method
  readonly path: string
  readonly body?: string
  readonly timestamp?: string
}

/** When each caller signed last. */
const signedMs = new WeakMap<Uint8Array, number>()

/** The envelope of a signed call. Without a timestamp it is a call of its own, not a repeat of an equal one. */
export function envelope({ accountId, key, secret }: TestCaller, call: TestCall) {
  const timestamp = call.timestamp ?? String(ownTimestamp(secret))
  const signature = signText(signedText({ ...call, timestamp }), secret)
  const { method, path, body } = call
  return {
    method,
    path,
    ...(body !== undefined && { body }),
    auth: { accountId, key, signature, timestamp },
  }
}

/** A JSON POST, optionally from another address. */
export function jsonPost(body: unknown, address?: string): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(address && { 'x-forwarded-for': address }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** Now; later than that where this caller has signed in the same millisecond, since equal writes would be one write. */
function ownTimestamp(secret: Uint8Array): number {
  const atMs = Math.max(Date.now(), (signedMs.get(secret) ?? 0) + 1)
  signedMs.set(secret, atMs)
  return atMs
}
