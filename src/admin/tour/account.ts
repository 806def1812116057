import type { Client, Credentials } from '../../client/client.ts'
import { fromHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { publicKeyOf } from '../../crypto/signing.ts'
import { signDigest, walletAddressOf } from '../../crypto/wallet-signature.ts'
import { HOUR_MS } from '../../spec/durations.ts'
import type { Guide } from './guide.ts'

const CHAIN_ID = 42_161
const TOUR_KEY_LIFE_MS = HOUR_MS

type Wallet = { readonly address: string; readonly secret: Uint8Array }

type AccountWorld = { readonly clock: Clock; readonly random: Random; readonly keyLifeMs?: number }

/** Opens an account for a throw-away wallet and binds a key, by default for an hour: what every user does first. */
export async function openAccount(
  guide: Guide,
  client: Client,
  world: AccountWorld,
): Promise<Credentials> {
  const secret = world.random.bytes(32)
  const wallet = newWallet(world.random)
  await guide.step(
    'nonce',
    () => nonce(client),
    (text) => `a registration nonce was issued: ${text}`,
  )
  const message = await guide.step(
    'typed data',
    () => signedMessage(client, wallet, { kind: 'register', chainId: CHAIN_ID }),
    () => `wallet ${wallet.address} signed the message`,
  )
  const accountId = await guide.step(
    'register',
    () => register(client, message),
    (id) => `the wallet has account ${id.slice(0, 10)}…`,
  )
  const key = publicKeyOf(secret)
  const expiration = world.clock.nowMs() + (world.keyLifeMs ?? TOUR_KEY_LIFE_MS)
  await guide.step(
    'bind key',
    () => bind(client, wallet, key, expiration),
    () => `${key.slice(0, 18)}… may read and trade until ${new Date(expiration).toISOString()}`,
  )
  return { accountId, key, secret }
}

function newWallet(random: Random): Wallet {
  const secret = random.bytes(32)
  return { address: walletAddressOf(secret), secret }
}

async function nonce(client: Client): Promise<string> {
  return textField(await client.get('/api/prep/registration-nonce'), 'nonce')
}

async function register(client: Client, message: object): Promise<string> {
  const answer = await client.post('/api/prep/register', message)
  if (!isObject(answer) || answer['created'] !== true)
    throw new Error('the account was not created')
  return textField(answer, 'accountId')
}

async function bind(client: Client, wallet: Wallet, tradingKey: string, expiration: number) {
  const asked = {
    kind: 'trading-key',
    chainId: CHAIN_ID,
    tradingKey,
    scope: 'read,trading',
    expiration,
  }
  const answer = await client.post(
    '/api/prep/trading-key',
    await signedMessage(client, wallet, asked),
  )
  if (!isObject(answer) || answer['bound'] !== true) throw new Error('the key was not bound')
}

/** Asks for the message, signs it as the wallet would, and makes the body that goes back. */
async function signedMessage(client: Client, wallet: Wallet, asked: object) {
  const prepared = await client.post('/api/prep/typed-data', asked)
  const digest = fromHex(textField(prepared, 'digest'))
  if (!digest || !isObject(prepared) || !isObject(prepared['message']))
    throw new Error('no message to sign')
  return {
    message: prepared['message'],
    signature: signDigest(digest, wallet.secret),
    address: wallet.address,
  }
}

/** A text field of an answer. Throws when it is not there. */
function textField(answer: unknown, name: string): string {
  const value = isObject(answer) ? answer[name] : undefined
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}`)
  return value
}
