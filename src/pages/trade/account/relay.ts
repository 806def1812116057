import type { Method } from '../../../contract/allowlist.ts'
import { type SignedRequest, signedText } from '../../../core/crypto/signed-text.ts'
import { ApiFailure } from '../../common/api.ts'
import { type Exact, memberText } from '../../common/exact-json.ts'
import { isClockUnusable, signingMs } from '../feed/clock.ts'
import { api, countRead, holdReads } from '../feed/service.ts'
import { markRefused } from './session.ts'
import type { KeptKey } from './trading-key.ts'
import { signWith } from './trading-key.ts'

/** A private call before it is signed. */
export type PrivateCall = Pick<SignedRequest, 'path' | 'body'> & {
  readonly method: Method
}

/** A call with its signing time; its bytes do not change any more. */
export type StampedCall = PrivateCall & { readonly timestamp: string }

/** A signed call, which can be sent repeatedly without change. */
export type SignedPrivateCall = StampedCall & {
  readonly envelope: string
  readonly publicKey: string
}

/** Adds the signing time to a call. */
export function stamp(call: PrivateCall): StampedCall {
  return { ...call, timestamp: String(signingMs()) }
}

/** The text that is signed. */
export function textToSign(call: StampedCall): string {
  return signedText(call)
}

/** Signs a call. Throws ApiFailure `clock` if the server would refuse the signing time. */
export async function sign(session: KeptKey, call: StampedCall): Promise<SignedPrivateCall> {
  if (isClockUnusable.peek()) throw new ApiFailure('clock')
  const { accountId, publicKey: key } = session
  const { method, path, body, timestamp } = call
  const signature = await signWith(session.key, textToSign(call))
  const envelope = JSON.stringify({
    method,
    path,
    body,
    auth: { accountId, key, signature, timestamp },
  })
  return { ...call, envelope, publicKey: key }
}

/** Sends a signed write while private reads are held back. Throws ApiFailure; remembers a key that the venue refuses. */
export async function sendSignedCall(call: SignedPrivateCall): Promise<Exact> {
  const release = holdReads()
  try {
    return await post(call)
  } finally {
    release()
  }
}

async function post(call: SignedPrivateCall): Promise<Exact> {
  try {
    return await api.post('/api/prep/relay', call.envelope)
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'unauthorized') markRefused(call.publicKey)
    throw error
  }
}

/** Signs and sends a private read. */
export async function read(session: KeptKey, path: string): Promise<Exact> {
  countRead()
  return post(await sign(session, stamp({ method: 'GET', path })))
}

/** The venue's reason in the answer to an order that it has refused; null for an order that it accepted. */
export function refusalIn(answer: Exact): string | null {
  const message = memberText(answer, 'error_message')
  return message === '' || message === 'none' ? null : message
}
