import { newCaller } from '../caller.ts'
import type { AnswerSpec, Recorded } from '../recording-upstream.ts'
import { openTarget, type TargetKind } from '../target.ts'
import { openGate } from './gate.ts'
import { openedBy, startRecordedVenue } from './recorded-venue.ts'
import { askToBind, askToRegister, signedBody, type TestWallet, WALLETS } from './wallets.ts'

export const BROKER = 'operator-7'
export const REGISTER = '/api/prep/register'
export const BIND = '/api/prep/trading-key'
export const DAY_MS = 86_400_000
export const UNKNOWN_ACCOUNT: AnswerSpec = {
  status: 400,
  json: { success: false, code: -1607, message: 'Account not found.' },
}

/** The venue's way of answering with a payload. */
export function ok(payload: unknown): AnswerSpec {
  return { json: { success: true, timestamp: 1, data: payload } }
}

/** A wallet's body with some fields of its message changed after it was signed. */
export function tampered(body: Awaited<ReturnType<typeof signedBody>>, message: object) {
  return { ...body, message: { ...body.message, ...message } }
}

/** prepd before a venue that takes every wallet's word, behind a gate. */
export async function openRegistrationFixture(kind: TargetKind) {
  let answers: Readonly<Record<string, AnswerSpec>> = {}
  let nonce = 194_528_949_540

  function answer(request: Recorded): AnswerSpec {
    const [path = ''] = request.target.split('?')
    nonce += 1
    const usual: Record<string, AnswerSpec> = {
      '/v1/registration_nonce': ok({ registration_nonce: String(nonce) }),
      '/v1/register_account': ok(openedBy(request)),
      '/v1/orderly_key': ok(openedBy(request)),
      '/v1/get_account': UNKNOWN_ACCOUNT,
      '/v1/get_orderly_key': UNKNOWN_ACCOUNT,
    }
    return answers[path] ?? usual[path] ?? 'close'
  }

  const venue = await startRecordedVenue(answer)
  const gate = await openGate(venue.url)
  const target = await openTarget(kind, {
    VENUE: gate.url,
    BROKER_ID: BROKER,
    LIMIT_ACCOUNT: '60/3600s burst 2',
  })

  return {
    /** Replaces the venue's usual answers by path; the next call forgets these. */
    answering: (byPath: Readonly<Record<string, AnswerSpec>>): void => {
      answers = byPath
    },
    gate,
    target,
    /** What a call answers, and what it sends to the venue. */
    async sending<T>(call: () => Promise<T>) {
      const before = venue.requests.length
      const result = await call()
      const sent = venue.requests.slice(before)
      return { result, sent, paths: sent.map(({ target: path }) => path.split('?')[0]) }
    },
    newRegistration: async (wallet: TestWallet = WALLETS.viem()) =>
      signedBody(wallet, await askToRegister(target)),
    newBinding: async (wallet: TestWallet = WALLETS.viem(), expiration = Date.now() + DAY_MS) =>
      signedBody(wallet, await askToBind(target, newCaller().key, expiration)),
    stop: async () => {
      await target.stop()
      await gate.shut()
      await venue.stop()
    },
  }
}

export type RegistrationFixture = Awaited<ReturnType<typeof openRegistrationFixture>>
