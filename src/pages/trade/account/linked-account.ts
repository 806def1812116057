import { toBase58 } from '../../../core/crypto/base58.ts'
import { fromHex } from '../../../core/hex.ts'
import { memberText } from '../../common/exact-json.ts'
import { filledTemplate } from '../../common/format.ts'
import { nowMs } from '../../common/world.ts'
import { api } from '../feed/service.ts'
import { IS_EMBEDDED } from '../market/state.ts'
import { CONNECT_TEXTS } from '../messages/connect.ts'
import { notifyFailure, showNotice } from '../messages/notices.ts'
import { WARNINGS } from '../messages/warnings.ts'
import { adoptKey, missingCapability } from './session.ts'
import type { NewKey } from './trading-key.ts'

/**
 * Switches to the account in an address fragment, `account=…&wallet=…&key=…`; the venue must know its key. Only for a
 * simulated venue, because a link must not choose an account for real money.
 */
export async function openLinked(fragment: string): Promise<void> {
  const fields = new URLSearchParams(fragment)
  const [accountId, address, secret] = [
    matching(fields, 'account', /^0x[0-9a-f]{64}$/),
    matching(fields, 'wallet', /^0x[0-9a-f]{40}$/),
    fromHex(matching(fields, 'key', /^[0-9a-f]{64}$/)),
  ]
  if (!IS_EMBEDDED || !accountId || !address || !secret?.length) {
    showNotice({
      kind: 'bad',
      text: IS_EMBEDDED ? CONNECT_TEXTS.link.broken : CONNECT_TEXTS.link.live,
    })
    return
  }
  if (missingCapability.peek() !== null) {
    showNotice({ kind: 'bad', text: WARNINGS.missing[missingCapability.peek() ?? 'storage'] })
    return
  }
  try {
    await take(accountId, address, secret)
    showNotice({
      kind: 'good',
      text: filledTemplate(CONNECT_TEXTS.link.done, { account: accountId.slice(0, 10) }),
    })
  } catch (error) {
    notifyFailure(error, CONNECT_TEXTS.link.broken)
  }
}

async function take(accountId: string, address: string, secret: Uint8Array): Promise<void> {
  const { key, publicKey } = await importTradingKey(secret)
  const query = new URLSearchParams({ account_id: accountId, key: publicKey })
  const bound = await api.get(`/api/prep/op/account.keyInfo?${query}`)
  await adoptKey({
    ...{ accountId, address, publicKey, key },
    wallet: 'throw-away',
    scope: memberText(bound, 'scope'),
    expiresAtMs: Number(memberText(bound, 'expiration')),
    boundAtMs: nowMs(),
  })
}

function matching(fields: URLSearchParams, name: string, pattern: RegExp): string {
  const text = fields.get(name) ?? ''
  return pattern.test(text) ? text : ''
}

/** Imports a 32-byte secret as a non-exportable key, and clears the given bytes. */
async function importTradingKey(secret: Uint8Array): Promise<NewKey> {
  const document = Uint8Array.of(...PKCS8_HEAD, ...secret)
  secret.fill(0)
  const readable = await crypto.subtle.importKey('pkcs8', document, 'Ed25519', true, ['sign'])
  const { x = '' } = await crypto.subtle.exportKey('jwk', readable)
  const key = await crypto.subtle.importKey('pkcs8', document, 'Ed25519', false, ['sign'])
  document.fill(0)
  const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'))
  const raw = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return { key, publicKey: `ed25519:${toBase58(raw)}` }
}

/** The PKCS #8 prefix of an Ed25519 secret key (RFC 8410). */
const PKCS8_HEAD = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]
