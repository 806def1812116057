import { DAY_MS } from '../../../contract/durations.ts'
import { ApiFailure } from '../../common/api.ts'
import { type Exact, memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import {
  type InjectedWallet,
  readChainId,
  requestAddress,
  requestWallet,
} from '../../common/wallets.ts'
import { nowMs } from '../../common/world.ts'
import { signingMs } from '../feed/clock.ts'
import { api } from '../feed/service.ts'
import { type CheckedDocument, checkDocument, type DocumentRequest } from './document-check.ts'
import { adoptKey } from './session.ts'
import { newTradingKey } from './trading-key.ts'
import { keepSecret } from './wallet-secrets.ts'

/** The offered lifetimes of a key in days; the venue's maximum is 365. */
export const KEY_DAYS = [1, 7, 30, 90, 365] as const

export const SCOPES = ['read,trading', 'read'] as const

export type KeyOptions = {
  readonly scope: (typeof SCOPES)[number]
  readonly days: (typeof KEY_DAYS)[number]
}

/** The signing wallet: a wallet of the browser, or one made on this page. */
export type Signer = {
  readonly kind: 'injected' | 'throw-away'
  readonly address: string
  readonly chainId: number
  /** Whether the wallet was just made, so that it cannot have an account. */
  readonly isNew: boolean
  /** Signs the document's text exactly as the server sent it. */
  readonly sign: (typedData: string, digest: string) => Promise<string>
  /** Returns the secret of a wallet made on this page; absent for other wallets. */
  readonly readSecret?: () => string
}

/** The functions by which opening an account reports to its dialog. */
export type OpeningDialog = {
  /** Shows the document to sign; false ends the opening. */
  readonly confirm: (document: CheckedDocument) => Promise<boolean>
  /** Gets the time until which the server asks to wait; 0 when the opening continues. */
  readonly onWait: (untilMs: number) => void
  readonly sleep: (ms: number) => Promise<void>
  /** Aborts when the dialog is left; after that the opening signs, sends and stores nothing. */
  readonly left: AbortSignal
}

/** The wallet is on a chain that this venue does not support. */
export class WrongChain extends Error {
  readonly chains: readonly { readonly id: number; readonly name: string }[]
  constructor(chains: WrongChain['chains']) {
    super('wrong chain')
    this.chains = chains
  }
}

/** The owner declined, or left the dialog. */
export class Declined extends Error {}

/** A signer with a wallet of the browser. Throws WalletRefusal or WrongChain. */
export async function injectedSigner(
  wallet: InjectedWallet,
  dialog: OpeningDialog,
): Promise<Signer> {
  const address = await requestAddress(wallet)
  const [chainId, chains] = [await readChainId(wallet), await chainsOfVenue(dialog)]
  if (!chains.some(({ id }) => id === chainId)) throw new WrongChain(chains)
  return {
    kind: 'injected',
    address,
    chainId,
    isNew: false,
    sign: async (typedData) =>
      String(await requestWallet(wallet, 'eth_signTypedData_v4', [address, typedData])),
  }
}

/** A signer with a new throw-away wallet. This browser stores the wallet's secret once the wallet has an account. */
export async function throwAwaySigner(dialog: OpeningDialog): Promise<Signer> {
  const { newThrowAwayWallet } = await import('./throw-away.ts')
  const [first] = await chainsOfVenue(dialog)
  const { address, signDocument, readSecret } = newThrowAwayWallet()
  const sign = async (typedData: string, digest: string) => signDocument(typedData, digest)
  const chainId = first?.id ?? 1
  return { kind: 'throw-away', address, chainId, isNew: true, sign, readSecret }
}

async function chainsOfVenue(dialog: OpeningDialog): Promise<WrongChain['chains']> {
  const answer = await withRetry(dialog, () => api.get('/api/prep/deposit-chains'))
  const rows = memberRows(answer, 'rows')
  return rows.map((row) => ({
    id: Number(memberText(row, 'chainId')),
    name: memberText(row, 'name'),
  }))
}

/**
 * Opens the signer's account, or finds the account that already exists. Then binds a new key, with which this page
 * signs from now on. Throws ApiFailure, WalletRefusal, AlteredDocument or Declined.
 */
export async function openSignerAccount(
  signer: Signer,
  options: KeyOptions,
  dialog: OpeningDialog,
): Promise<void> {
  const known = signer.isNew ? null : await knownAccount(signer, dialog)
  stopIfLeft(dialog)
  const accountId = known ?? (await register(signer, dialog))
  await bind(signer, accountId, options, dialog)
}

/** Reads the id of the account that a wallet already has; null without an account. */
async function knownAccount({ address }: Signer, dialog: OpeningDialog): Promise<string | null> {
  try {
    const path = `/api/prep/op/account.exists?address=${address}`
    const answer = await withRetry(dialog, () => api.get(path))
    return memberText(answer, 'account_id') || null
  } catch (error) {
    if (
      error instanceof ApiFailure &&
      ['not_found', 'venue_rejected', 'invalid_request'].includes(error.code)
    ) {
      return null
    }
    throw error
  }
}

async function register(signer: Signer, dialog: OpeningDialog): Promise<string> {
  const asked = { kind: 'register', chainId: signer.chainId } as const
  const answer = await signed(signer, asked, dialog, '/api/prep/register')
  const accountId = memberText(answer, 'accountId') || (await knownAccount(signer, dialog))
  if (!accountId) throw new ApiFailure('outcome_unknown')
  return accountId
}

async function bind(
  signer: Signer,
  accountId: string,
  { scope, days }: KeyOptions,
  dialog: OpeningDialog,
): Promise<void> {
  const { key, publicKey } = await newTradingKey()
  const boundAtMs = signingMs()
  const expiration = boundAtMs + days * DAY_MS - KEY_MARGIN_MS
  const { chainId, address, kind, readSecret } = signer
  const asked = { kind: 'trading-key', chainId, tradingKey: publicKey, scope, expiration } as const
  await signed(signer, asked, dialog, '/api/prep/trading-key')
  stopIfLeft(dialog)
  // The secret is stored before the key, because another tab looks for the secret as soon as the key is stored.
  if (readSecret) await keepSecret(address, readSecret)
  await adoptKey({
    ...{ accountId, address, publicKey, scope, boundAtMs, key },
    wallet: kind,
    expiresAtMs: expiration,
  })
}

/** Subtracted from a key's lifetime: if this clock is slightly ahead, a full year would exceed the venue's maximum. */
const KEY_MARGIN_MS = 120_000

async function signed(
  signer: Signer,
  asked: DocumentRequest,
  dialog: OpeningDialog,
  path: string,
): Promise<Exact> {
  const { message, signature } = await signAsked(signer, asked, dialog)
  const body = { message, signature, address: signer.address }
  return postWithRetry(dialog, path, JSON.stringify(body))
}

/** A document that the server prepared and this page has checked. */
export async function prepareDocument(asked: DocumentRequest, dialog: OpeningDialog) {
  const answer = await postWithRetry(dialog, '/api/prep/typed-data', JSON.stringify(asked))
  return { answer, document: checkDocument(memberText(answer, 'typedData'), asked, signingMs()) }
}

/** Requests a document, checks and shows it, and has the wallet sign it. `assertOwn` throws for another account's document. */
export async function signAsked(
  signer: Signer,
  asked: DocumentRequest,
  dialog: OpeningDialog,
  assertOwn: (document: CheckedDocument) => void = () => undefined,
) {
  const { answer, document } = await prepareDocument(asked, dialog)
  assertOwn(document)
  stopIfLeft(dialog)
  if (!(await dialog.confirm(document))) throw new Declined()
  const signature = await signer.sign(memberText(answer, 'typedData'), memberText(answer, 'digest'))
  stopIfLeft(dialog)
  const verifyingContract = memberText(answer, 'verifyingContract')
  return { message: toMessage(memberValue(answer, 'message')), signature, verifyingContract }
}

/** Throws Declined once the dialog is left. */
function stopIfLeft({ left }: OpeningDialog): void {
  if (left.aborted) throw new Declined()
}

/** Converts a message to the server's format, with integers as numbers; they were kept as text to stay exact. */
function toMessage(message: Exact | undefined): Record<string, unknown> {
  const fields = typeof message === 'object' && message !== null ? Object.entries(message) : []
  const numbers = ['chainId', 'timestamp', 'expiration', 'withdrawNonce', 'settleNonce']
  return {
    brokerId: '',
    ...Object.fromEntries(
      fields.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
    ),
  }
}

/**
 * Maximum total wait of one call. A registration nonce expires after two minutes, which must also cover signing in the
 * wallet.
 */
const WAIT_MAX_MS = 90_000

/** Posts a body. If the server asks for a delay, posts the same bytes again after the delay. */
function postWithRetry(dialog: OpeningDialog, path: string, body: string): Promise<Exact> {
  return withRetry(dialog, () => api.post(path, body))
}

/** Repeats a call after each wait that the server asks for, until the waits exceed `WAIT_MAX_MS` in total. */
async function withRetry(dialog: OpeningDialog, call: () => Promise<Exact>): Promise<Exact> {
  for (let leftMs = WAIT_MAX_MS; ; ) {
    try {
      const answer = await call()
      dialog.onWait(0)
      return answer
    } catch (error) {
      const waitMs = retryWaitMs(error)
      leftMs -= waitMs
      if (waitMs === 0 || leftMs < 0) throw error
      dialog.onWait(nowMs() + waitMs)
      await dialog.sleep(waitMs)
      stopIfLeft(dialog)
    }
  }
}

/** The wait in ms that a 429 of the server asks for, at least a second; 0 for any other failure. */
function retryWaitMs(error: unknown): number {
  const isTooSoon = error instanceof ApiFailure && error.status === 429
  if (!isTooSoon || error.retryAfterSeconds === null) return 0
  return Math.max(1, error.retryAfterSeconds) * 1000
}
