import type { Credentials } from '../../agents/client/client.ts'
import { DAY_MS } from '../../contract/durations.ts'
import type { Envelope } from '../../contract/envelope.ts'
import { type ExampleValues, PLACEHOLDER_VALUES } from '../../contract/reference/examples.ts'
import { STANDBY } from '../../contract/standby.ts'
import type { TypedDataBody } from '../../contract/typed-data.ts'
import {
  DecisionBody,
  MandateBody,
  RegisterBody,
  TradingKeyBody,
} from '../../contract/wallet-messages.ts'
import { signedText } from '../../core/crypto/signed-text.ts'
import { signText, wirePublicKey } from '../../core/crypto/signing.ts'
import { signDigest, toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { Failure } from '../../core/failure.ts'
import { fromHex } from '../../core/hex.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { parseBody } from '../../core/parse-body.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { registerWallet } from '../../gateway/account/registration.ts'
import { bindTradingKey } from '../../gateway/account/trading-key.ts'
import { type TypedDataAccess, typedData } from '../../gateway/account/typed-data.ts'
import { type RelayAccess, relay } from '../../gateway/relay/relay.ts'
import { readPayload } from '../../gateway/venue/read.ts'

/** A practice account of the embedded venue for the reference page, and functions that sign fresh bodies with it. */
export type PracticeSigner = {
  readonly practised: ExampleValues
  /** Functions that sign a fresh body, by route id. */
  readonly bodies: Readonly<Record<(typeof EXAMPLE_BODY_ROUTES)[number], () => Promise<object>>>
}

// biome-ignore format: read as a list
export const EXAMPLE_BODY_ROUTES = [
  'register', 'tradingKey', 'mandate', 'relay', 'approvedRelay', 'decideApproval', 'standby',
] as const

export type PracticeAccess = TypedDataAccess &
  RelayAccess & { readonly clock: Clock; readonly random: Random }

const CHAIN_ID = 42_161
const SCOPE = 'read,trading'
const READ = { method: 'GET', path: '/v1/client/holding' } as const
const CANCEL_ALL = { method: 'DELETE', path: '/v1/orders' } as const

/** Opens an account for a throw-away wallet, with a key that is valid for a day. Throws Failure. */
export async function openPractice(deps: PracticeAccess): Promise<PracticeSigner> {
  const wallet = deps.random.bytes(32)
  const secret = deps.random.bytes(32)
  const key = wirePublicKey(secret)
  const address = toWalletAddress(wallet)
  const body = await registration(deps, wallet)
  const created = parsed((await registerWallet(deps, body)).reply)
  const accountId = String(created['accountId'])
  const bound = await binding(deps, wallet, key)
  await bindTradingKey(deps, bound)
  const asks = createApprovalRequests(deps, { accountId, key, secret })
  return {
    practised: { address, accountId, key, ...(await vault(deps)), approvalId: await asks() },
    bodies: {
      register: () => registration(deps, deps.random.bytes(32)),
      tradingKey: () => binding(deps, wallet, wirePublicKey(deps.random.bytes(32))),
      mandate: () => mandateBody(deps, wallet),
      relay: async () => envelope(deps, { accountId, key, secret }, READ),
      approvedRelay: async () => envelope(deps, { accountId, key, secret }, READ),
      decideApproval: async () => decisionBody(deps, wallet, await asks()),
      standby: async () => ({
        envelopes: [envelope(deps, { accountId, key, secret }, CANCEL_ALL)],
        afterMs: STANDBY.afterMinMs,
      }),
    },
  }
}

/** The venue's first vault and the wallet of its provider. */
async function vault(
  deps: PracticeAccess,
): Promise<Pick<ExampleValues, 'vaultId' | 'providerAddress'>> {
  const path = '/v1/public/strategy_vault/vault/info'
  const payload = await readPayload(deps, { host: 'vaults', path })
  const [row] = rowsAt(payload, 'rows')
  return { vaultId: String(row?.['vault_id']), providerAddress: String(row?.['sp_address']) }
}

async function registration(deps: PracticeAccess, wallet: Uint8Array) {
  return parseBody(
    RegisterBody,
    await signed(deps, wallet, { kind: 'register', chainId: CHAIN_ID }),
  )
}

async function binding(deps: PracticeAccess, wallet: Uint8Array, tradingKey: string) {
  const expiration = deps.clock.nowMs() + DAY_MS
  const asked = { chainId: CHAIN_ID, tradingKey, scope: SCOPE, expiration }
  return parseBody(TradingKeyBody, await signed(deps, wallet, { kind: 'trading-key', ...asked }))
}

async function mandateBody(deps: PracticeAccess, wallet: Uint8Array) {
  const limits = { maxOrderUsdc: '1000', maxDailyUsdc: '10000' }
  const asked = { chainId: CHAIN_ID, address: toWalletAddress(wallet), limits }
  return parseBody(MandateBody, await signed(deps, wallet, { kind: 'mandate', ...asked }))
}

/** Returns a function that requests a new approval per call and returns the approval's id. */
function createApprovalRequests(deps: PracticeAccess, owner: Credentials): () => Promise<string> {
  let leverage = 0
  return async () => {
    leverage = (leverage % LEVERAGE_MAX) + 1
    const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', leverage })
    const call = { method: 'POST', path: '/v1/client/leverages', body } as const
    const answer = relay(deps, envelope(deps, owner, call), PRACTICE_CALLER, true)
    return answer.then(() => '', approvalIn)
  }
}

const LEVERAGE_MAX = 10
const PRACTICE_CALLER = { address: '', limitKey: 'practice' }

function approvalIn(error: unknown): string {
  if (error instanceof Failure && error.code === 'approval_required')
    return String(error.meta?.['approval'])
  throw error
}

async function decisionBody(deps: PracticeAccess, wallet: Uint8Array, approval: string) {
  const asked = { kind: 'approval', chainId: CHAIN_ID, approval } as const
  return parseBody(DecisionBody, await signed(deps, wallet, asked))
}

/** The signed body text for register, trading-key, mandate or approval/decision. */
async function signed(deps: PracticeAccess, wallet: Uint8Array, asked: TypedDataBody) {
  const [host = ''] = deps.operator.hosts
  const { message, digest } = parsed((await typedData(deps, asked, host)).reply)
  const bytes = fromHex(String(digest))
  if (!bytes) throw new RangeError('no digest')
  const signature = signDigest(bytes, wallet)
  return JSON.stringify({ message, signature, address: toWalletAddress(wallet) })
}

function envelope(
  { clock }: PracticeAccess,
  owner: Credentials,
  call: Pick<Envelope, 'method' | 'path'> & { readonly body?: string },
) {
  const timestamp = String(clock.nowMs())
  const signature = signText(signedText({ ...call, timestamp }), owner.secret)
  const { accountId, key } = owner
  return { ...call, auth: { accountId, key, signature, timestamp } }
}

function parsed({ bytes }: { readonly bytes: Uint8Array }): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
  return isObject(value) ? value : {}
}

/** Example bodies by route id. On the embedded venue they are valid requests. */
export async function exampleBodies(
  practice: PracticeSigner | null,
): Promise<Record<string, object>> {
  const { accountId } = practice?.practised ?? PLACEHOLDER_VALUES
  return {
    typedData: { kind: 'register', chainId: CHAIN_ID },
    referralCode: { accountId, code: 'PRACTICE' },
    referralRate: { accountId },
    voucher: { chainId: CHAIN_ID, txHash: `0x${'11'.repeat(32)}` },
    webhook: {
      message: {
        ...{ chainId: CHAIN_ID, account: accountId, service: 'localhost', action: 'list' },
        timestamp: 1_767_225_600_000,
      },
      signature: `0x${'11'.repeat(65)}`,
      address: `0x${'22'.repeat(20)}`,
    },
    agent: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    ...(practice && (await freshBodies(practice))),
  }
}

async function freshBodies({ bodies }: PracticeSigner): Promise<Record<string, object>> {
  const made = EXAMPLE_BODY_ROUTES.map(async (id) => [id, await bodies[id]()] as const)
  return Object.fromEntries(await Promise.all(made))
}
