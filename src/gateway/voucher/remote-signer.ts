import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { keccak256 } from '../../core/crypto/keccak.ts'
import { recoverSigner, withLegacyRecovery } from '../../core/crypto/wallet-signature.ts'
import { Failure } from '../../core/failure.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { type FetchSession, openFetchSession } from '../../upstream/fetch-session.ts'
import { readText } from '../../upstream/http-body.ts'
import type { RemoteKey } from './config.ts'
import type { VoucherSigner } from './signers.ts'

/** A signer on a different machine. */
export type RemoteSigner = VoucherSigner & {
  /** Tests the signer with a fixed text that is no voucher. Never throws; `fault` reports the result. */
  readonly check: () => Promise<void>
  /** Why the last call failed, in this service's words; null after a success. */
  readonly fault: () => string | null
}

type RemoteSignerOptions = {
  readonly readText: (path: string) => Promise<string>
  /** Called when the signer starts to fail, when its fault changes, and when it signs again (null). */
  readonly changed: (address: string, fault: string | null) => void
}

const IDLE_SECONDS = 2

/** The text of the test. It differs from the beginning of every voucher and transaction. */
const CHECK_MESSAGE = new TextEncoder().encode('prepd: is the voucher signer there?')

/**
 * A client of Web3Signer's HTTP interface for eth1 keys, which signs the Keccak-256 of the message. A signature is
 * accepted only if it recovers to the key's address. Certificate files are read for each call, so that renewed files
 * need no restart. Calls throw Failure `not_available` without a valid signature.
 */
export function remoteSigner(
  key: RemoteKey,
  { readText: readFile, changed }: RemoteSignerOptions,
): RemoteSigner {
  const session = openFetchSession(key.url, { keepAlive: { idleTimeout: IDLE_SECONDS } })
  let fault: string | null = null

  function ended(found: string | null): void {
    if (found !== fault) changed(key.address, found)
    fault = found
  }

  async function sign(message: Uint8Array): Promise<string> {
    try {
      const signature = await fetchSignature(session, key, message, readFile)
      ended(null)
      return signature
    } catch (error) {
      reportUnexpected('upstream', error, Error)
      ended(error instanceof SignerFault ? error.message : 'unreachable')
      throw new Failure('not_available', undefined, { cause: error })
    }
  }

  return {
    address: key.address,
    sign,
    check: async () => {
      await sign(CHECK_MESSAGE).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
      })
    },
    fault: () => fault,
  }
}

/** An answer without a valid signature. The message contains no text of the signer. */
class SignerFault extends Error {
  override readonly name = 'SignerFault'
}

async function fetchSignature(
  session: FetchSession,
  { url, publicKey, address, files }: RemoteKey,
  message: Uint8Array,
  readFile: RemoteSignerOptions['readText'],
): Promise<string> {
  const response = await session.fetch(
    `${url.href.replace(/\/$/, '')}/api/v1/eth1/sign/${publicKey}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'prepd' },
      body: JSON.stringify({ data: toPrefixedHex(message) }),
      redirect: 'manual',
      decompress: false,
      signal: AbortSignal.timeout(VOUCHER_LIMITS.signerDeadlineMs),
      ...(files && { tls: await readTlsFiles(files, readFile) }),
    },
  )
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new SignerFault(`http_${response.status}`)
  }
  const text = await readText(response, { maxBytes: VOUCHER_LIMITS.signerAnswerMaxBytes })
  const signature = withLegacyRecovery(text.trim())
  if (signature === null || recoverSigner(keccak256(message), signature) !== address)
    throw new SignerFault('wrong_signature')
  return signature
}

async function readTlsFiles(
  files: NonNullable<RemoteKey['files']>,
  readFile: RemoteSignerOptions['readText'],
) {
  const { certificate, key, ca } = files
  return {
    cert: await readFile(certificate),
    key: await readFile(key),
    ...(ca !== null && { ca: await readFile(ca) }),
  }
}
