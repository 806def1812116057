import { jsonPost, type TestCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { openTarget, type Target, type TargetSettings } from '../target.ts'
import { newUser } from './wallets.ts'

export const OPERATOR_KEY = 'operator-key-of-thirty-two-characters'

/** How callers reach the embedded venue: through the gateway it is in, or through another over its wire. */
export type Reach = 'in this process' | 'over its wire'
export const REACHES: readonly Reach[] = ['in this process', 'over its wire']

/** A gateway with a user, and the embedded venue behind it, which takes operator commands. */
export type VenueFixture = {
  readonly target: Target
  /** The prepd that the venue is in. */
  readonly inner: Target
  readonly user: TestCaller
  /** Runs an operator command. */
  readonly command: (word: string, parameters?: object) => Promise<CommandAnswer>
  readonly stop: () => Promise<void>
}

export type CommandAnswer = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export async function openVenueFixture(
  reach: Reach,
  settings: TargetSettings = {},
): Promise<VenueFixture> {
  const operatorSettings = { OPERATOR_KEY, LIMIT_ADMIN: 'off', ...settings }
  const port = freePort()
  const isWire = reach === 'over its wire'
  const inner = await openTarget('in process', {
    ...operatorSettings,
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
    command: (word, parameters) => runCommand(inner, word, parameters),
    stop: async () => {
      await target.stop()
      if (inner !== target) await inner.stop()
    },
  }
}

/** Runs an operator command on the venue of a prepd. */
export async function runCommand(
  target: Target,
  word: string,
  parameters: object = {},
  key = OPERATOR_KEY,
): Promise<CommandAnswer> {
  const post = jsonPost(parameters)
  const headers = { ...Object(post.headers), authorization: `Bearer ${key}` }
  const response = await target.fetch(`/api/admin/venue/${word}`, { ...post, headers })
  return { status: response.status, body: Object(await response.json()) }
}
