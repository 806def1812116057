import { signedText } from '../../src/core/crypto/signed-text.ts'
import { createVerifier } from '../../src/core/crypto/verifier.ts'
import { jsonPost, newCaller } from '../caller.ts'
import {
  type AnswerSpec,
  headerOf,
  type Recorded,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import { openTarget, type Target, type TargetKind } from '../target.ts'

const PROGRAM = '/v1/referral/multi_level/admin'

/** The paths of the affiliate program. */
export const PATHS = {
  info: `${PROGRAM}/info`,
  create: `${PROGRAM}/create/affiliate`,
  update: `${PROGRAM}/update/affiliate`,
  verify: '/v1/public/referral/verify_ref_code',
} as const

export const accepted = (data?: object): AnswerSpec => ({
  json: { success: true, timestamp: 1, data },
})

export const refusal = (status: number, code: number): AnswerSpec => ({
  status,
  json: { success: false, code, message: 'orderly says no' },
})

/** Whether a code exists, as the venue says it. */
export const exists = (is: boolean): AnswerSpec => accepted({ exist: String(is) })

/** An answer, or one that depends on what has happened when it is given. */
type Step = AnswerSpec | (() => AnswerSpec | Promise<AnswerSpec>)

/** What the venue answers on each path; of a list one after the other, the last one again and again. */
export type Script = Partial<Record<keyof typeof PATHS, Step | readonly Step[]>>

/** A prepd with an operator's key in front of a venue that follows a script. */
export type ScriptedProgram = {
  readonly operator: { readonly accountId: string; readonly secret: Uint8Array }
  readonly target: Target
  /** Begins a scene: a new account, nothing sent yet. What the script leaves out: no row, no such code. */
  readonly scene: () => Scene
  readonly stop: () => Promise<void>
}

export type Scene = {
  readonly accountId: string
  readonly venue: (script: Script) => void
  /** The program's list with the account's row in it, or without. */
  readonly row: (code: string | null, fields?: object) => AnswerSpec
  readonly sent: () => Recorded[]
  readonly writes: () => Recorded[]
  readonly post: (route: 'code' | 'rate', body: object) => Promise<{ status: number; body: Parsed }>
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
type Parsed = any

export async function openScriptedProgram(
  kind: TargetKind,
  rate = '0.25',
): Promise<ScriptedProgram> {
  const operator = newCaller()
  let script = new Map<string, Step[]>()
  const upstream = await startRecordingUpstream(({ target: path }) => {
    const answers = script.get(path.split('?')[0] ?? '') ?? []
    const step = (answers.length > 1 ? answers.shift() : answers[0]) ?? refusal(400, -1000)
    return typeof step === 'function' ? step() : step
  })
  const target = await openTarget(kind, {
    VENUE: upstream.url,
    AFFILIATE_ACCOUNT_ID: operator.accountId,
    AFFILIATE_TRADING_KEY: operator.secret.toHex(),
    REFERRAL_RATE: rate,
    LIMIT_REFERRAL: 'off',
  })

  function scene(): Scene {
    const { accountId } = newCaller()
    const sentBefore = upstream.requests.length
    const sent = () => upstream.requests.slice(sentBefore)
    const row: Scene['row'] = (code, fields = {}) =>
      accepted({
        rows: code === null ? [] : [{ account_id: accountId, referral_code: code, ...fields }],
      })
    return {
      accountId,
      row,
      sent,
      writes: () => sent().filter(({ method }) => method === 'POST'),
      venue(next) {
        const whole: Script = { info: row(null), verify: exists(false), ...next }
        script = new Map()
        for (const name of NAMES) script.set(PATHS[name], [whole[name] ?? []].flat())
      },
      async post(route, body) {
        const response = await target.fetch(`/api/prep/referral/${route}`, jsonPost(body))
        return { status: response.status, body: await response.json() }
      },
    }
  }

  return {
    operator,
    target,
    scene,
    stop: async () => {
      await target.stop()
      await upstream.stop()
    },
  }
}

const NAMES = ['info', 'create', 'update', 'verify'] as const
const verifier = createVerifier({ keysMax: 100 })

/** Whether a request carries an account, and its key's signature over exactly this request. */
export function isSignedBy(accountId: string, request: Recorded): boolean {
  const named = (name: string) => headerOf(request, `orderly-${name}`) ?? ''
  const { method, target: path, text: body } = request
  const text = signedText({ timestamp: named('timestamp'), method, path, body })
  const verdict = verifier.verify(named('key'), text, named('signature'))
  return named('account-id') === accountId && verdict === 'valid'
}
