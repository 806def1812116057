import type { Credentials } from '../../agents/client/client.ts'
import type { HeaderReader } from '../../agents/protocol/versions.ts'
import { HTTP_WORDING, ToolFailure } from '../../agents/tool.ts'
import { AGENT_LIMITS, type AgentLimitName, limitHeader } from '../../contract/agent-limits.ts'
import type { FailureCode } from '../../contract/failures.ts'
import type { SettingKind } from '../../contract/settings.ts'
import { type Cidr, isInAnyBlock, isLoopback } from '../../core/client-address.ts'
import { wirePublicKey } from '../../core/crypto/signing.ts'
import type { Limits } from '../../core/mandate.ts'
import { type KindValues, SETTING_KINDS } from '../../core/settings/kinds.ts'
import { agentLimits } from '../../core/settings/limit-variables.ts'
import type { TextKind } from '../../core/text-kind.ts'
import { reportedSchemes, wasForwarded } from '../server/origin.ts'

/** The credentials in a request's headers. */
type GivenCredentials = {
  readonly credentials: Credentials | null
  /** Names of the headers that are missing. */
  readonly absent: readonly string[]
}

/**
 * The credentials of one request, from `x-account-id` and `x-trading-key`, otherwise from `Authorization: Bearer
 * <accountId>:<hex>`. A malformed bearer token counts as absent credentials, and `absent` then describes the correct
 * form. Throws ToolFailure `forbidden` if a key was sent unencrypted, `unauthorized` with the name of a malformed
 * header. No error repeats a header's value.
 */
export function readCredentials(headers: HeaderReader, encrypted: boolean): GivenCredentials {
  const { accountId, tradingKey, isMalformed } = credentialTexts(headers)
  if (tradingKey !== null && !encrypted) throw clearText()
  const account = read(HTTP_WORDING.accountId, accountId, SETTING_KINDS.accountId)
  const secret = read(HTTP_WORDING.tradingKey, tradingKey, SETTING_KINDS.tradingKey)
  return {
    credentials:
      account && secret ? { accountId: account, key: wirePublicKey(secret), secret } : null,
    absent: isMalformed
      ? [WELL_FORMED]
      : [
          ...(account === null ? [HTTP_WORDING.accountId] : []),
          ...(secret === null ? [HTTP_WORDING.tradingKey] : []),
        ],
  }
}

/**
 * Whether a request was encrypted on every network. True if one of these holds:
 * - a trusted proxy forwarded it and does not report http (X-Forwarded-Proto, or `proto` of RFC 7239),
 * - the listener speaks TLS,
 * - the request came directly from this machine.
 */
export function isEncrypted(
  headers: HeaderReader,
  { peer, tls }: { readonly peer: string; readonly tls: boolean },
  trusted: readonly Cidr[],
): boolean {
  if (isInAnyBlock(trusted, peer)) return !reportedSchemes(headers).includes('http')
  if (tls) return true
  return isLoopback(peer) && !wasForwarded(headers)
}

const BEARER = /^Bearer +(0x[0-9a-f]{64}):([0-9a-f]{64})$/i
const ANY_BEARER = /^Bearer\b/i
const WELL_FORMED =
  'a well-formed authorization header (Bearer <account id>:<trading key as 64 hex digits>)'

type Texts = {
  readonly accountId: string | null
  readonly tradingKey: string | null
  readonly isMalformed: boolean
}

// A malformed bearer token may be meant for a proxy, so it is an error only for tools that need credentials.
function credentialTexts(headers: HeaderReader): Texts {
  const accountId = headers(HTTP_WORDING.accountId)
  const tradingKey = headers(HTTP_WORDING.tradingKey)
  if (accountId !== null || tradingKey !== null)
    return { accountId, tradingKey, isMalformed: false }
  const given = headers('authorization') ?? ''
  const [, account = null, secret = null] = BEARER.exec(given) ?? []
  return {
    accountId: account,
    tradingKey: secret,
    isMalformed: account === null && ANY_BEARER.test(given),
  }
}

/** A header's value; null if it is absent or empty. Clients send an empty header for an unset variable. */
function read<Value>(name: string, text: string | null, kind: TextKind<Value>): Value | null {
  return text === null || text === '' ? null : headerValue(name, text, kind, 'unauthorized')
}

function clearText(): ToolFailure {
  return new ToolFailure({
    error: 'A trading key came over an unencrypted connection and was not used.',
    code: 'forbidden',
    meta: {
      parameter: HTTP_WORDING.tradingKey,
      next: 'Tell the user to use https or the local stdio server, and to replace this key.',
    },
  })
}

/** The parsed value of a header. Throws ToolFailure with the given code if the text is invalid. */
function headerValue<Value>(
  name: string,
  text: string,
  { expects, parse }: TextKind<Value>,
  code: FailureCode,
): Value {
  const value = parse(text)
  if (value === undefined) throw malformedHeader(name, expects, code)
  return value
}

/** The failure of a malformed header. It names the header and the expected form, but not the value. */
function malformedHeader(name: string, expects: string, code: FailureCode): ToolFailure {
  return new ToolFailure({
    error: `The header ${name} must be ${expects}.`,
    code,
    meta: { parameter: name, next: 'Ask the user to correct the configuration of this client.' },
  })
}

/**
 * The limits in a request's headers. An unreadable or unenforceable limit throws ToolFailure invalid_request, so that
 * no limit is silently ignored.
 */
export function limitsOfHeaders(headers: HeaderReader): Limits {
  return agentLimits(<Name extends AgentLimitName>(name: Name) =>
    limit<LimitKind<Name>>(headers, limitHeader(name), AGENT_LIMITS[name].kind),
  )
}

type LimitKind<Name extends AgentLimitName> = (typeof AGENT_LIMITS)[Name]['kind']

function limit<K extends SettingKind>(
  headers: HeaderReader,
  name: string,
  kind: K,
): KindValues[K] | undefined {
  const text = headers(name)
  if (text === null) return undefined
  return headerValue<KindValues[K]>(name, text, SETTING_KINDS[kind], 'invalid_request')
}
