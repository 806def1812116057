import { Wallet } from 'ethers'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { isObject } from '../../src/core/json.ts'
import { jsonPost, newCaller, type TestCaller } from '../caller.ts'

/** A wallet of somebody else's making: it signs what prepd hands out as a string, and knows nothing of prepd. */
export type TestWallet = {
  readonly address: string
  readonly sign: (typedData: string) => Promise<string>
}

export type Fetcher = {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** New wallets of two libraries. */
export const WALLETS: Readonly<Record<'viem' | 'ethers', () => TestWallet>> = {
  viem: () => {
    const account = privateKeyToAccount(generatePrivateKey())
    return {
      address: account.address,
      sign: (typedData) => account.signTypedData(JSON.parse(typedData)),
    }
  },
  ethers: () => {
    const wallet = Wallet.createRandom()
    return {
      address: wallet.address,
      sign: (typedData) => {
        const { domain, types, message } = JSON.parse(typedData)
        const { EIP712Domain: _, ...structs } = types
        return wallet.signTypedData(domain, structs, message)
      },
    }
  },
}

const CHAIN_ID = 42_161

/** What prepd gives a wallet to sign. */
export type ToSign = {
  readonly typedData: string
  readonly message: Readonly<Record<string, unknown>>
  readonly digest: string
}

/** Asks prepd what to sign. */
async function askToSign(target: Fetcher, body: object): Promise<ToSign> {
  const response = await target.fetch('/api/prep/typed-data', jsonPost(body))
  const answer = Object(await response.json())
  if (!response.ok) throw new Error(`typed-data: ${JSON.stringify(answer)}`)
  return answer
}

export function askToRegister(target: Fetcher): Promise<ToSign> {
  return askToSign(target, { kind: 'register', chainId: CHAIN_ID })
}

export function askToBind(
  target: Fetcher,
  tradingKey: string,
  expiration: number,
  scope = 'read,trading',
) {
  const body = { kind: 'trading-key', chainId: CHAIN_ID, tradingKey, scope }
  return askToSign(target, { ...body, expiration })
}

export function askToLimit(
  target: Fetcher,
  { address }: TestWallet,
  limits: object,
  frozen = false,
) {
  return askToSign(target, { kind: 'mandate', chainId: CHAIN_ID, address, limits, frozen })
}

/** The body that carries a wallet's consent: the message as it came. */
export async function signedBody(wallet: TestWallet, { typedData, message }: ToSign) {
  const signature = await wallet.sign(typedData)
  return { message, signature, address: wallet.address }
}

/** Posts a body and answers what came back. */
export async function post(target: Fetcher, path: string, body: unknown) {
  const response = await target.fetch(path, jsonPost(body))
  const answer: unknown = await response.json()
  return { status: response.status, body: isObject(answer) ? answer : {} }
}

/** Registers a new wallet and binds a key to its account: the whole journey of a user. */
export async function newUser(
  target: Fetcher,
  wallet = WALLETS.viem(),
  expiration = Date.now() + 86_400_000,
  scope = 'read,trading',
): Promise<TestCaller> {
  const toRegister = await askToRegister(target)
  const created = await post(target, '/api/prep/register', await signedBody(wallet, toRegister))
  const caller = newCaller(String(created.body['accountId']))
  const toBind = await askToBind(target, caller.key, expiration, scope)
  const bound = await post(target, '/api/prep/trading-key', await signedBody(wallet, toBind))
  if (bound.status !== 200) throw new Error(`trading-key: ${JSON.stringify(bound.body)}`)
  return caller
}

/** The body of a registration whose nonce was never given out. */
export async function spentNonceBody(target: Fetcher) {
  const wallet = WALLETS.viem()
  const toSign = await askToRegister(target)
  const { registrationNonce: _, ...message } = toSign.message
  const typed = JSON.parse(toSign.typedData)
  typed.message.registrationNonce = '7'
  return signedBody(wallet, {
    ...toSign,
    typedData: JSON.stringify(typed),
    message: { ...message, registrationNonce: '7' },
  })
}
