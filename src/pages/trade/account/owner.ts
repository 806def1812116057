import { mainAccountId } from '../../../core/crypto/account-id.ts'
import { fromHex } from '../../../core/hex.ts'
import {
  ask,
  type InjectedWallet,
  moveTo,
  requestAddress,
  WalletRefusal,
} from '../../common/wallets.ts'
import { AlteredDocument, type CheckedDocument, type DocumentRequest } from './document-check.ts'
import { type OpeningDialog, prepare, type Signer, signAsked } from './opening.ts'
import type { KeptKey } from './trading-key.ts'
import { learnSecret, walletSecret } from './wallet-secrets.ts'

/** Requests that only the wallet of an account may sign. */
export type Consent = Extract<DocumentRequest, { readonly kind: 'withdraw' | 'settle' }>

/** The signer of an account with the secret that this page has of its wallet. Throws WalletRefusal `gone` without it. */
export async function secretSigner({ address }: KeptKey, chainId: number): Promise<Signer> {
  const secret = fromHex(walletSecret(address) ?? '')
  if (!secret?.length) throw new WalletRefusal('gone')
  const { newThrowAwayWallet } = await import('./throw-away.ts')
  const { signDocument } = newThrowAwayWallet(secret)
  const sign = async (typedData: string, digest: string) => signDocument(typedData, digest)
  return { kind: 'throw-away', address, chainId, isNew: false, sign }
}

/**
 * Keeps the secret of an account's wallet until the page closes, from a text of 64 hexadecimal digits. Returns false
 * for the secret of a different wallet.
 */
export async function takeSecret({ address }: KeptKey, text: string): Promise<boolean> {
  const digits = text.trim()
  const secret = /^[0-9a-f]{64}$/.test(digits) ? fromHex(digits) : null
  if (!secret) return false
  const { newThrowAwayWallet } = await import('./throw-away.ts')
  const isOwn = newThrowAwayWallet(secret).address === address.toLowerCase()
  if (isOwn) learnSecret(address, () => digits)
  return isOwn
}

/** The signer of an account with a wallet of the browser, on this chain. Throws WalletRefusal. */
export async function ownSigner(
  { address }: KeptKey,
  wallet: InjectedWallet,
  chainId: number,
): Promise<Signer> {
  const chosen = await requestAddress(wallet)
  if (chosen.toLowerCase() !== address.toLowerCase()) throw new WalletRefusal('other_account')
  await moveTo(wallet, chainId)
  const sign = async (typedData: string) =>
    String(await ask(wallet, 'eth_signTypedData_v4', [chosen, typedData]))
  return { kind: 'injected', address: chosen, chainId, isNew: false, sign }
}

/**
 * The request body that the relay accepts for a document: prepared by the server, checked and shown here, signed by the
 * wallet. Throws ApiFailure, WalletRefusal, AlteredDocument, Declined.
 */
export async function consent(
  signer: Signer,
  asked: Consent,
  { accountId }: KeptKey,
  dialog: OpeningDialog,
): Promise<string> {
  const { message, signature, verifyingContract } = await signAsked(
    signer,
    asked,
    dialog,
    (document) => ownBroker(document, signer.address, accountId),
  )
  return JSON.stringify({ message, signature, userAddress: signer.address, verifyingContract })
}

/**
 * The id of this front end at the venue, as documents for wallets name it. Throws ApiFailure. Throws AlteredDocument
 * for an account of a different front end.
 */
export async function readBrokerId(
  { accountId, address }: KeptKey,
  chainId: number,
  dialog: OpeningDialog,
): Promise<string> {
  const asked = { kind: 'settle', chainId, settleNonce: 1 } as const
  const { document } = await prepare(asked, dialog)
  return ownBroker(document, address, accountId)
}

/** The front end that a document names; the id of the account proves it. Throws AlteredDocument. */
function ownBroker({ fields }: CheckedDocument, address: string, accountId: string): string {
  const [, broker = ''] = fields.find(([name]) => name === 'brokerId') ?? []
  if (mainAccountId(address.toLowerCase(), broker) === accountId) return broker
  throw new AlteredDocument('brokerId')
}
