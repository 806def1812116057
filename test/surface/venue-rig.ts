import { jsonPost, type TestCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { openTarget, type Target, type TargetSettings } from '../target.ts'
import { newUser } from './wallets.ts'

export const OPERATOR_KEY = 'operator-key-of-thirty-two-characters'

/** How callers reach the embedded venue: through the gateway it is in, or through another over its wire. */
export type Reach = 'in this process' | 'over its wire'
export const REACHES: readonly Reach[] = ['in this process', 'over its wire']

/** A gateway with a user, and the embedded venue behind it that its operator tells words. */
export type VenueRig = {
  readonly target: Target
  /** The prepd that the venue is in. */
  readonly inner: Target
  readonly user: TestCaller
  /** Tells the venue a word. */
  readonly tell: (word: string, parameters?: object) => Promise<Told>
  readonly stop: () => Promise<void>
}

export type Told = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

export async function openVenueRig(reach: Reach, settings: TargetSettings = {}): Promise<VenueRig> {
  const operated = { OPERATOR_KEY, LIMIT_ADMIN: 'off', ...settings }
  const port = freePort()
  const isWire = reach === 'over its wire'
  const inner = await openTarget('in process', {
    ...operated,
    ...(isWire && { VENUE_LISTEN: `127.0.0.1:${port}` }),
  })
  const target = isWire
    ? await openTarget('in process', { VENUE: `http://127.0.0.1:${port}` })
    : inner
  const user = await newUser(target)
  return {
    target,
    inner,
    user,
    tell: (word, parameters) => tellVenue(inner, word, parameters),
    stop: async () => {
      await target.stop()
      if (inner !== target) await inner.stop()
    },
  }
}

/** Tells the venue of a prepd a word, as its operator. */
export async function tellVenue(
  target: Target,
  word: string,
  parameters: object = {},
  key = OPERATOR_KEY,
): Promise<Told> {
  const post = jsonPost(parameters)
  const headers = { ...Object(post.headers), authorization: `Bearer ${key}` }
  const response = await target.fetch(`/api/admin/venue/${word}`, { ...post, headers })
  return { status: response.status, body: Object(await response.json()) }
}
