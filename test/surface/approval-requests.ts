import type { ReasonOf } from '../../src/contract/failures.ts'
import { envelope, jsonPost, newCaller, type TestCaller } from '../caller.ts'
import type { AnswerSpec } from '../recording-upstream.ts'
import { asked, type Failure, SYMBOL } from './asked.ts'
import { type Fetcher, newUser, post, signedBody, WALLETS } from './wallets.ts'

export const APPROVED_RELAY = '/api/prep/relay/approved'
export const DECISION = '/api/prep/approval/decision'
const CHAIN_ID = 42_161

/** What a change of leverage is answered that the owner has to approve. */
export function leverageOf(
  target: Fetcher,
  caller: TestCaller,
  leverage: number,
): Promise<Failure> {
  const body = JSON.stringify({ symbol: SYMBOL, leverage })
  const call = { method: 'POST', path: '/v1/client/leverages', body } as const
  return asked(target, APPROVED_RELAY, jsonPost(envelope(caller, call)))
}

/** What a wallet signs to approve. */
export async function askToApprove(target: Fetcher, approval: unknown) {
  const body = { kind: 'approval', chainId: CHAIN_ID, approval }
  const answer = await target.fetch('/api/prep/typed-data', jsonPost(body))
  return Object(await answer.json())
}

/** One request for each reason about approvals. `recorded` is before a venue that answers what `answerWith` is given. */
export function approvalRequests(
  world: () => Fetcher,
  recorded: () => Fetcher,
  answerWith: (answer: AnswerSpec) => void,
): Readonly<
  Record<ReasonOf<'approval_required'> | 'decided' | 'not_owner', () => Promise<Failure>>
> {
  return {
    too_many: async () => {
      const user = await newUser(world())
      for (let leverage = 1; leverage <= 10; leverage += 1)
        await leverageOf(world(), user, leverage)
      return leverageOf(world(), user, 11)
    },
    sub_account: async () => {
      const caller = newCaller()
      answerWith({ json: { success: true, data: { address: `0x${'11'.repeat(20)}` } } })
      const read = envelope(caller, { method: 'GET', path: '/v1/client/holding' })
      await asked(recorded(), '/api/prep/relay', jsonPost(read))
      return leverageOf(recorded(), caller, 5)
    },
    decided: async () => {
      const { meta } = await leverageOf(world(), await newUser(world()), 5)
      const refuse = { refuse: meta['approval'] }
      await post(world(), DECISION, refuse)
      return asked(world(), DECISION, jsonPost(refuse))
    },
    not_owner: async () => {
      const { meta } = await leverageOf(world(), await newUser(world()), 5)
      const signed = await signedBody(WALLETS.viem(), await askToApprove(world(), meta['approval']))
      return asked(world(), DECISION, jsonPost(signed))
    },
  }
}
