import { beforeEach, expect } from 'bun:test'
import type { DecisionBody } from '../../../src/contract/wallet-messages.ts'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import type { Limits } from '../../../src/core/mandate.ts'
import { parseQuery } from '../../../src/core/query.ts'
import {
  approvalToSign,
  decideApproval,
  showApproval,
} from '../../../src/gateway/account/approval-decision.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { envelope, newCaller, type TestCall } from '../../caller.ts'
import { type TestWallet, WALLETS } from '../../surface/wallets.ts'
import { openWorldForEach, time, world } from '../mandate/gate-world.ts'
import { FROM } from '../standby/instance.ts'

const CHAIN_ID = 42_161
/** The wallet that owns the account of the tests. */
export const wallet = WALLETS.viem()
/** A trading key of that account. */
export const trader = newCaller(
  mainAccountId(wallet.address, world.instance.gateway.operator.brokerId),
)

let counter = 0

/** Opens the world anew before each test of a file. */
export function openApprovalsForEach(): void {
  openWorldForEach()
  beforeEach(() => world.instance.prove(trader))
}

/** Gives the account a mandate. */
export async function limit(limits: Limits) {
  counter += 1
  const accountId = trader.accountId.toLowerCase()
  const signed = { accountId, limits, counter, frozenBy: 'none', changedAtMs: 0 } as const
  expect(await world.instance.gateway.mandates.put(signed)).toBe(true)
}

type Instance = typeof world.instance

const answered = (answer: ReturnType<typeof relay>) =>
  answer.then(
    ({ reply }) => JSON.parse(reply.text()),
    ({ code, meta }) => ({ code, ...meta }),
  )

/** What a signed write is answered: `sent`, or the failure. */
export async function write(
  asked: TestCall,
  { on = world.instance, by = trader, needsApproval = false, program = '' } = {},
) {
  time.nowMs += 1
  const signed = envelope(by, { ...asked, timestamp: String(time.nowMs) })
  const sent = world.sent.length
  const name = () => program || null
  const answer = await answered(relay(on.gateway, signed, FROM, needsApproval, name))
  return world.sent.length > sent && answer.code === undefined ? 'sent' : answer
}

/** The id of the approval that a write is answered with. */
export async function approvalOf(asked: TestCall, options = {}): Promise<string> {
  const { code, approval } = await write(asked, options)
  expect(code).toBe('approval_required')
  return approval
}

export const show = (id: string, on: Instance = world.instance) =>
  answered(showApproval(on.gateway, parseQuery(`?id=${id}`)))

export async function toSign(id: string, on: Instance = world.instance) {
  return approvalToSign(
    on.gateway,
    { kind: 'approval', chainId: CHAIN_ID, approval: id },
    'localhost',
  )
}

export const decide = (body: DecisionBody, on: Instance = world.instance) =>
  answered(decideApproval(on.gateway, body))

export const refuse = (id: string) => decide({ refuse: id })

/** Approves with a wallet. */
export async function approve(id: string, by: TestWallet = wallet, on: Instance = world.instance) {
  const { typedData, message } = await toSign(id, on)
  return decide({ message, signature: await by.sign(typedData), address: by.address }, on)
}
