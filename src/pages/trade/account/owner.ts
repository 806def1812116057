import { mainAccountId } from '../../../core/crypto/account-id.ts'
import { fromHex } from '../../../core/hex.ts'
import {
  type InjectedWallet,
  requestAddress,
  requestWallet,
  switchWalletChain,
  WalletRefusal,
} from '../../common/wallets.ts'
import { AlteredDocument, type CheckedDocument, type DocumentRequest } from './document-check.ts'
import { type OpeningDialog, prepareDocument, type Signer, signAsked } from './opening.ts'
import type { KeptKey } from './trading-key.ts'
import { rememberSecret, walletSecret } from './wallet-secrets.ts'

/** Documents that only an account's wallet may sign. */
export type WalletOnlyDocument = Extract<DocumentRequest, { readonly kind: 'withdraw' | 'settle' }>

/** The signer of an account whose wallet secret this page has. Throws WalletRefusal `gone` without the secret. */
export async function secretSigner({ address }: KeptKey, chainId: number): Promise<Signer> {
  const secret = fromHex(walletSecret(address) ?? '')
  if (!secret?.length) throw new WalletRefusal('gone')
  const { newThrowAwayWallet } = await import('./throw-away.ts')
  const { signDocument } = newThrowAwayWallet(secret)
  const sign = async (typedData: string, digest: string) => signDocument(typedData, digest)
  return { kind: 'throw-away', address, chainId, isNew: false, sign }
}

/**
 * Takes the secret of an account's wallet, 64 hexadecimal digits, and keeps it until the page closes. Returns false for
 * another wallet's secret.
 */
export async function takeSecret({ address }: KeptKey, text: string): Promise<boolean> {
  const digits = text.trim()
  const secret = /^[0-9a-f]{64}$/.test(digits) ? fromHex(digits) : null
  if (!secret) return false
  const { newThrowAwayWallet } = await import('./throw-away.ts')
  const isOwn = newThrowAwayWallet(secret).address === address.toLowerCase()
  if (isOwn) rememberSecret(address, () => digits)
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
  await switchWalletChain(wallet, chainId)
  const sign = async (typedData: string) =>
    String(await requestWallet(wallet, 'eth_signTypedData_v4', [chosen, typedData]))
  return { kind: 'injected', address: chosen, chainId, isNew: false, sign }
}

/**
 * Has the wallet sign a document that the server prepared and this page checked and showed. Returns the request body
 * for the relay. Throws ApiFailure, WalletRefusal, AlteredDocument or Declined.
 */
export async function signWithOwner(
  signer: Signer,
  asked: WalletOnlyDocument,
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

/** Reads this front end's broker id at the venue. Throws ApiFailure, or AlteredDocument for an account of another broker. */
export async function readBrokerId(
  { accountId, address }: KeptKey,
  chainId: number,
  dialog: OpeningDialog,
): Promise<string> {
  const asked = { kind: 'settle', chainId, settleNonce: 1 } as const
  const { document } = await prepareDocument(asked, dialog)
  return ownBroker(document, address, accountId)
}

/**
 * The broker id in a document, verified with the account's id, which is a hash of wallet and broker. Throws
 * AlteredDocument.
 */
function ownBroker({ fields }: CheckedDocument, address: string, accountId: string): string {
  const [, broker = ''] = fields.find(([name]) => name === 'brokerId') ?? []
  if (mainAccountId(address.toLowerCase(), broker) === accountId) return broker
  throw new AlteredDocument('brokerId')
}
