import { signal } from '@preact/signals'
import { utf8 } from '../../core/bytes.ts'
import { serviceTypedData } from '../../core/crypto/service-typed-data.ts'
import { sha256 } from '../../core/crypto/sha256.ts'
import { signDigest, toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { fromHex, toPrefixedHex } from '../../core/hex.ts'
import { ApiFailure } from '../common/api.ts'
import { metaContent } from '../common/document.ts'
import {
  type Exact,
  exactOrNone,
  memberText,
  memberValue,
  readExact,
} from '../common/exact-json.ts'
import { filledTemplate } from '../common/format.ts'
import {
  type InjectedWallet,
  readChainId,
  requestAddress,
  requestWallet,
  WalletRefusal,
} from '../common/wallets.ts'
import { APPROVAL_TEXTS } from './messages.ts'
import { approvalApi, type Shown, showAnswer } from './state.ts'

const DECISION = '/api/prep/approval/decision'

/** Whether a decision is being signed or sent. */
export const isWorking = signal(false)

/** The text of the last failure; empty without a failure. */
export const trouble = signal('')

/** Signs a message. A wallet whose secret this page holds signs the digest instead of the text. */
type Signer = {
  readonly address: string
  readonly chainId: number
  readonly sign: (typedData: string, digest: Uint8Array) => Promise<string>
}

/** Approves with a wallet of the browser. */
export function approveWith(wallet: InjectedWallet, shown: Shown): Promise<void> {
  return attempt(async () => approve(await injectedSigner(wallet), shown))
}

/** Approves with the secret of a practice wallet, as text of 64 hexadecimal digits. */
export function approveWithSecret(text: string, shown: Shown): Promise<void> {
  return attempt(async () => {
    const secret = SECRET.test(text.trim()) ? fromHex(text.trim()) : null
    if (!secret) throw new Trouble(APPROVAL_TEXTS.noSecret)
    await approve(practiceSigner(secret), shown)
  })
}

/** Refuses, which needs no wallet. */
export function refuse({ id }: Shown): Promise<void> {
  return attempt(async () => {
    showAnswer(await approvalApi.post(DECISION, JSON.stringify({ refuse: id })))
  })
}

const SECRET = /^(?:0x)?[0-9a-f]{64}$/i

class Trouble extends Error {}

async function attempt(work: () => Promise<void>): Promise<void> {
  trouble.value = ''
  isWorking.value = true
  try {
    await work()
  } catch (error) {
    trouble.value = troubleSentence(error)
  } finally {
    isWorking.value = false
  }
}

async function approve({ address, chainId, sign }: Signer, shown: Shown): Promise<void> {
  const asked = JSON.stringify({ kind: 'approval', chainId, approval: shown.id })
  const answer = await approvalApi.post('/api/prep/typed-data', asked)
  const typedData = memberText(answer, 'typedData')
  const digest = checkedDigest(typedData, shown, chainId)
  const signature = await sign(typedData, digest)
  const message = { chainId, approval: shown.id, service: location.hostname }
  const body = JSON.stringify({ message, signature, address })
  showAnswer(await approvalApi.post(DECISION, body))
}

async function injectedSigner(wallet: InjectedWallet): Promise<Signer> {
  const address = await requestAddress(wallet)
  const chainId = await readChainId(wallet)
  async function sign(typedData: string): Promise<string> {
    try {
      return String(await requestWallet(wallet, 'eth_signTypedData_v4', [address, typedData]))
    } catch (error) {
      const isOther = error instanceof WalletRefusal && error.reason === 'failed'
      if (isOther && (await readChainId(wallet)) !== chainId)
        throw new Trouble(APPROVAL_TEXTS.troubles.chain)
      throw error
    }
  }
  return { address, chainId, sign }
}

const PRACTICE_CHAIN_ID = 42_161

function practiceSigner(secret: Uint8Array): Signer {
  return {
    address: toWalletAddress(secret),
    chainId: PRACTICE_CHAIN_ID,
    sign: async (_, digest) => signDigest(digest, secret),
  }
}

function troubleSentence(error: unknown): string {
  if (error instanceof Trouble) return error.message
  if (error instanceof WalletRefusal)
    return APPROVAL_TEXTS.refusals[error.reason] ?? APPROVAL_TEXTS.refusals.failed
  if (error instanceof AlteredMessage)
    return filledTemplate(APPROVAL_TEXTS.altered, { field: error.field })
  if (!(error instanceof ApiFailure))
    return filledTemplate(APPROVAL_TEXTS.troubles.other, { code: 'internal' })
  return failureSentence(error)
}

/** The text of a failure; empty if a decision was made elsewhere, because the shown state says so. */
function failureSentence({ code, reason }: ApiFailure): string {
  if (code === 'offline') return APPROVAL_TEXTS.offline
  if (code === 'invalid_signature') return APPROVAL_TEXTS.troubles.signer
  if (reason === 'decided') return ''
  if (reason === 'not_owner') return APPROVAL_TEXTS.troubles.not_owner
  if (reason === 'blocked') return APPROVAL_TEXTS.troubles.blocked
  return filledTemplate(APPROVAL_TEXTS.troubles.other, { code })
}

/** The service returned a message that differs from the shown message; `field` names the difference. */
class AlteredMessage extends Error {
  readonly field: string
  constructor(field: string) {
    super(field)
    this.field = field
  }
}

/** The SHA-256 of a body, in the form of the message's field `bodySha256`. */
export function digestOfBody(body: string): string {
  return toPrefixedHex(sha256(utf8(body)))
}

/**
 * The digest of a message that a wallet is about to sign, computed here from the shown values. Throws AlteredMessage if
 * the document for the wallet is different.
 */
function checkedDigest(typedData: string, shown: Shown, chainId: number): Uint8Array {
  const values = {
    account: shown.accountId,
    service: location.hostname,
    approval: shown.id,
    order: shown.order.join('\n'),
    worstCase: shown.worstUsdc === '' ? 'not known' : `${shown.worstUsdc} USDC`,
    method: shown.method,
    path: shown.path,
    bodySha256: digestOfBody(shown.body),
    expires: new Date(shown.decideUntilMs).toISOString(),
  }
  const own = serviceTypedData('Approval', values, { service: metaContent('service'), chainId })
  const document = exactOrNone(typedData)
  if (document === undefined) throw new AlteredMessage('document')
  const field = firstDifference(readExact(own.typedData), document)
  if (field !== null) throw new AlteredMessage(field)
  return own.digest
}

const PARTS = ['types', 'primaryType', 'domain'] as const

/** The name of the first part or field in which two documents differ; null if they are the same. */
function firstDifference(own: Exact, given: Exact): string | null {
  const differs = (name: string, from: Exact | undefined, to: Exact | undefined) =>
    JSON.stringify(memberValue(from, name)) !== JSON.stringify(memberValue(to, name))
  const part = PARTS.find((name) => differs(name, own, given))
  if (part !== undefined) return part
  const [message, found] = [memberValue(own, 'message'), memberValue(given, 'message')]
  const names = [...Object.keys(Object(message)), ...Object.keys(Object(found))]
  return names.find((name) => memberText(message, name) !== memberText(found, name)) ?? null
}
