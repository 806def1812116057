import type { Client, Credentials } from '../../agents/client/client.ts'
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { wirePublicKey } from '../../core/crypto/signing.ts'
import { OFF_CHAIN_CONTRACT, typedDataDigest } from '../../core/crypto/typed-data.ts'
import { signDigest, toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { fromHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { bindingStruct } from '../../upstream/wire/wire.ts'
import { type CommandStep, createStepValue, runSteps, type StepValue } from '../command/steps.ts'

/** The chain id that wallets sign for in these commands. */
export const CHAIN_ID = 42_161
/** Life of a trading key: a day below the venue's maximum, to allow for clock skew. */
export const KEY_LIFE_MS = 364 * DAY_MS
/** Life of a trading key on a virtual clock: longer than an evaluation advances that clock. */
export const VIRTUAL_KEY_LIFE_MS = LIMITS.keyLifeVirtualMaxMs - DAY_MS
const TOUR_KEY_LIFE_MS = HOUR_MS
const KEY_TERMS = { chainId: CHAIN_ID, scope: 'read,trading' } as const

type Wallet = { readonly address: string; readonly secret: Uint8Array }

/** An account with its key, and the wallet that owns it. */
export type Opened = Credentials & { readonly wallet: Wallet; readonly expiresAtMs: number }

type AccountWorld = { readonly clock: Clock; readonly random: Random; readonly keyLifeMs?: number }

/** Opens an account for a throw-away wallet and binds a key, which is valid for an hour by default. */
export async function openTemporaryAccount(client: Client, world: AccountWorld): Promise<Opened> {
  const { steps, opened } = openingSteps(client, world)
  await runSteps(steps)
  return opened.get()
}

/** The steps that open an account. After the last step, `opened` has the account. */
export function openingSteps(
  client: Client,
  { clock, random, keyLifeMs = TOUR_KEY_LIFE_MS }: AccountWorld,
): { readonly steps: readonly CommandStep[]; readonly opened: StepValue<Opened> } {
  const secret = random.bytes(32)
  const wallet = newWallet(random)
  const [asked, accountId] = [
    createStepValue<Awaited<ReturnType<typeof registration>>>(),
    createStepValue<string>(),
  ]
  const opened = createStepValue<Opened>()

  async function bindKey(): Promise<string> {
    const key = wirePublicKey(secret)
    const timestamp = clock.nowMs()
    const expiration = timestamp + keyLifeMs
    const message = { ...KEY_TERMS, tradingKey: key, timestamp, expiration }
    await bind(client, wallet, asked.get().brokerId, message)
    opened.set({ accountId: accountId.get(), key, secret, wallet, expiresAtMs: expiration })
    return `${key.slice(0, 18)}… may read and trade until ${new Date(expiration).toISOString()}`
  }

  const steps: readonly CommandStep[] = [
    [
      'typed data',
      async () => {
        asked.set(await registration(client, wallet))
        return `wallet ${wallet.address} signed the message`
      },
    ],
    [
      'register',
      async () => {
        const id = accountId.set(await register(client, asked.get().body))
        return `the wallet has account ${id.slice(0, 10)}…`
      },
    ],
    ['bind key', bindKey],
  ]
  return { steps, opened }
}

function newWallet(random: Random): Wallet {
  const secret = random.bytes(32)
  return { address: toWalletAddress(secret), secret }
}

async function register(client: Client, message: object): Promise<string> {
  const answer = await client.post('/api/prep/register', message)
  if (!isObject(answer) || answer['created'] !== true)
    throw new Error('the account was not created')
  return textField(answer, 'accountId')
}

/**
 * Binds a key with a locally built message. The registration's message already contains the broker id. Requesting the
 * message would use one of the few calls that the service allows per minute.
 */
async function bind(
  client: Client,
  wallet: Wallet,
  brokerId: string,
  message: Parameters<typeof bindingStruct>[1],
): Promise<void> {
  const digest = typedDataDigest('AddOrderlyKey', bindingStruct(brokerId, message), {
    chainId: CHAIN_ID,
    verifyingContract: OFF_CHAIN_CONTRACT,
  })
  const answer = await client.post('/api/prep/trading-key', signedBody(wallet, message, digest))
  if (!isObject(answer) || answer['bound'] !== true) throw new Error('the key was not bound')
}

/** The signed body that registers the wallet, and the broker id that the body contains. */
async function registration(client: Client, wallet: Wallet) {
  const asked = { kind: 'register', chainId: CHAIN_ID }
  const prepared = await client.post('/api/prep/typed-data', asked)
  const digest = fromHex(textField(prepared, 'digest'))
  if (!digest || !isObject(prepared) || !isObject(prepared['message']))
    throw new Error('no message to sign')
  const document: unknown = JSON.parse(textField(prepared, 'typedData'))
  const brokerId = textField(isObject(document) ? document['message'] : null, 'brokerId')
  return { body: signedBody(wallet, prepared['message'], digest), brokerId }
}

/** The request body: a message, with the wallet's signature over its digest. */
function signedBody({ address, secret }: Wallet, message: object, digest: Uint8Array) {
  return { message, signature: signDigest(digest, secret), address }
}

/** A text field of an answer. Throws an Error if it is missing. */
function textField(answer: unknown, name: string): string {
  const value = isObject(answer) ? answer[name] : undefined
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}`)
  return value
}
