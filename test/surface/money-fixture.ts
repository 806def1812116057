import { expect } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClientFailure, createClient } from '../../src/agents/client/client.ts'
import type { Method } from '../../src/contract/allowlist.ts'
import { wirePublicKey } from '../../src/core/crypto/signing.ts'
import {
  LEDGER_CONTRACTS,
  type StructMessage,
  type StructName,
  typedDataDigest,
} from '../../src/core/crypto/typed-data.ts'
import { signDigest } from '../../src/core/crypto/wallet-signature.ts'
import { type Opened, openTemporaryAccount } from '../../src/operator/account/open.ts'
import { jsonPost } from '../caller.ts'
import { openTarget, type Target, type TargetKind, type TargetSettings } from '../target.ts'
import { runCommand } from './venue-fixture.ts'

const BROKER_ID = 'demo'
const CHAIN_ID = 42_161
const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'
/** Longer than any scenario: keys expire by the clock of the venue. */
const KEY_LIFE_MS = 30 * 86_400_000
const [LEDGER] = LEDGER_CONTRACTS

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
export type Answers = Readonly<Record<string, any>>

export type { Opened }

/** prepd before an embedded venue whose clock is moved by hand, with an operator and what its accounts do. */
export type MoneyFixture = {
  readonly call: (who: Opened, method: Method, path: string, body?: object) => Promise<Answers>
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<Answers>
  /** The code that a call is refused with; the answer's members when it is not. */
  readonly refusal: (who: Opened, path: string, body: object) => Promise<unknown>
  readonly account: () => Promise<Opened>
  /** Makes an account an affiliate with a code. */
  readonly affiliate: (who: Opened, code: string) => Promise<void>
  /** Runs an operator command. */
  readonly command: (word: string, parameters: object) => Promise<void>
  readonly advance: (ms: number) => Promise<void>
  readonly fund: (who: Opened, query: string) => Promise<void>
  readonly holding: (who: Opened, token?: string) => Promise<Answers>
  /** What is broken in the venue's books. */
  readonly check: () => Promise<readonly string[]>
  /** Forgets every kept answer. */
  readonly purge: () => Promise<void>
  /** Where the venue's own wire is, when VENUE_LISTEN is set. */
  readonly wire: () => Promise<string>
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export async function openMoneyFixture(
  kind: TargetKind,
  chosen: TargetSettings = {},
): Promise<MoneyFixture> {
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), 'prepd-money-')), 'data')
  const open = (settings = {}) =>
    openTarget(kind, {
      ...{ DATA_DIR, OPERATOR_KEY, BROKER_ID, OPS_LISTEN: '127.0.0.1:0', VENUE_CLOCK: 'virtual' },
      ...{ POINTS: 'on', LIMIT_REFERRAL: 'off', LIMIT_ADMIN: 'off' },
      ...chosen,
      ...settings,
    })
  let target: Target = await open()
  const client = createClient({
    baseUrl: 'http://localhost',
    nowMs: Date.now,
    transport: async (request) => {
      const { method, headers, url } = request
      const body = method === 'GET' ? null : await request.text()
      const { pathname, search } = new URL(url)
      return target.fetch(pathname + search, { method, headers, body })
    },
  })
  const call: MoneyFixture['call'] = async (who, method, path, body) =>
    Object(await client.relay(who, { method, path, ...(body && { body: JSON.stringify(body) }) }))

  const opened = () =>
    openTemporaryAccount(client, {
      clock: { nowMs: Date.now },
      random: { bytes },
      keyLifeMs: KEY_LIFE_MS,
    })

  const { accountId, secret } = await opened()
  const restart = async () => {
    await target.stop()
    target = await open({
      AFFILIATE_ACCOUNT_ID: accountId,
      AFFILIATE_TRADING_KEY: secret.toHex(),
    })
  }
  await restart()

  async function posted(path: string): Promise<void> {
    expect((await target.ops(path, { method: 'POST' })).status).toBe(200)
  }

  return {
    call,
    get: async (path, query) => Object(await client.get(path, query)),
    refusal: async (who, path, body) => {
      try {
        return Object.keys(await call(who, 'POST', path, body))
      } catch (error) {
        if (error instanceof ClientFailure) return error.code
        throw error
      }
    },
    account: async () => {
      const owner = await opened()
      const own = bytes(32)
      const key = wirePublicKey(own)
      const asked = { kind: 'trading-key', chainId: CHAIN_ID, tradingKey: key }
      const terms = { scope: 'read,trading,asset', expiration: Date.now() + KEY_LIFE_MS }
      const prepared = Object(await client.post('/api/prep/typed-data', { ...asked, ...terms }))
      const digest = Uint8Array.fromHex(String(prepared.digest).slice(2))
      const { address, secret: wallet } = owner.wallet
      const signature = signDigest(digest, wallet)
      await client.post('/api/prep/trading-key', { message: prepared.message, signature, address })
      return { ...owner, key, secret: own }
    },
    affiliate: async (who, code) => {
      const post = jsonPost({ accountId: who.accountId })
      const headers = { ...Object(post.headers), authorization: `Bearer ${OPERATOR_KEY}` }
      await target.fetch('/api/admin/venue/promote', { ...post, headers })
      const asked = { accountId: who.accountId, code }
      expect(await client.post('/api/prep/referral/code', asked)).toMatchObject({ created: true })
    },
    command: async (word, parameters) => {
      const { status } = await runCommand(target, word, parameters, OPERATOR_KEY)
      expect(status).toBe(200)
    },
    advance: async (ms) => {
      await posted(`/venue/advance?ms=${ms}`)
      // Answered when the world is there: no call has to wait for it.
      await target.ops('/venue/accounts')
    },
    fund: (who, query) => posted(`/venue/accounts/${who.accountId}/fund?${query}`),
    holding: async (who, token = 'USDC') => {
      const { holding } = (await call(who, 'GET', '/v1/client/holding?all=true')) as Answers & {
        holding: readonly Answers[]
      }
      return Object(holding.find((row) => row['token'] === token))
    },
    check: async () => Object(await (await target.ops('/venue/check')).json()).broken,
    purge: async () => {
      const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
      const { status } = await target.ops('/console/act/purge-cache', { method: 'POST', headers })
      expect(status).toBe(200)
    },
    wire: async () => (await target.listening()).venue,
    restart,
    stop: () => target.stop(),
  }
}

/** The body of a consent that a wallet signed, its owner's unless another signs. */
export function consentBy<S extends StructName>(
  { wallet }: Opened,
  struct: S,
  message: StructMessage<S>,
  signer: Uint8Array = wallet.secret,
) {
  const domain = { chainId: CHAIN_ID, verifyingContract: LEDGER }
  return {
    message: { chainId: CHAIN_ID, ...message },
    signature: signDigest(typedDataDigest(struct, message, domain), signer),
    userAddress: wallet.address,
    verifyingContract: LEDGER,
  }
}

/** What every dated consent says. */
export function stamp() {
  return { brokerId: BROKER_ID, chainId: CHAIN_ID, timestamp: Date.now() }
}

function bytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}
