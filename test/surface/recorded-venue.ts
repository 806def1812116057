import { mainAccountId } from '../../src/core/crypto/account-id.ts'
import { isObject } from '../../src/core/json.ts'
import {
  ACCEPTED,
  type AnswerSpec,
  type Recorded,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import operationRows from '../vectors/upstream/operations.json'
import relayRows from '../vectors/upstream/relay.json'
import routes from '../vectors/upstream/routes.json'

/** One catalogued read as the specification and the venue's wire have it. */
export type OperationRow = {
  readonly id: string
  readonly host: string
  readonly path: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly cacheSeconds: number
  readonly upstreamNames?: Readonly<Record<string, string>>
  readonly fallback?: Readonly<Record<string, string>>
  readonly forwarded?: boolean
  /** The whole body, envelope and all. */
  readonly answer: unknown
}

/** One signed call and what the venue answers. */
export type RelayRow = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly answer: unknown
}

export const OPERATION_ROWS = operationRows satisfies unknown as readonly OperationRow[]
export const RELAY_ROWS = relayRows satisfies unknown as readonly RelayRow[]

/** What the named routes ask for, and which recorded answer they get. */
const ROUTE_ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /v1/public/futures': routes.futures,
  'GET /v1/public/info': routes.info,
  'GET /v1/public/token': routes.token,
  'GET /v1/public/chain_info': routes.chains,
  'GET /v1/public/config': routes.config,
  'GET /v1/registration_nonce': routes.nonce,
}

const QUERIES: Readonly<Record<string, unknown>> = {
  orderbook: routes.orderbook,
  candles: routes.candles,
  topAddresses: routes.topAddresses,
}

function ok(payload: unknown) {
  return { success: true, timestamp: 1_777_500_000_123, data: payload }
}

/** The venue's payload for the wallet or the key that a request names; null for every other request. */
export function openedBy({ target, text }: Pick<Recorded, 'target' | 'text'>): object | null {
  if (target !== '/v1/register_account' && target !== '/v1/orderly_key') return null
  const { userAddress, message } = JSON.parse(text)
  return target === '/v1/orderly_key'
    ? { id: 1, orderly_key: message.orderlyKey }
    : { user_id: 1, account_id: mainAccountId(userAddress, message.brokerId) }
}

/** The recorded body of a request; undefined where the venue has no such path. */
export function recordedBody({ method, target, text }: Recorded): unknown {
  const [path = ''] = target.split('?')
  if (path === '/v1/public/query') return queryBody(text)
  const opened = openedBy({ target, text })
  if (opened) return ok(opened)
  const named = ROUTE_ANSWERS[`${method} ${path}`]
  if (named) return named
  const relayed = RELAY_ROWS.find((row) => row.method === method && row.path === target)
  return relayed?.answer ?? operationBody(method, path)
}

function operationBody(method: string, path: string): unknown {
  if (method !== 'GET') return undefined
  return OPERATION_ROWS.find((row) => matcherOf(row.path).test(path))?.answer
}

function queryBody(text: string): unknown {
  const query: unknown = JSON.parse(text)
  return isObject(query) ? QUERIES[String(query['type'])] : undefined
}

function matcherOf(template: string): RegExp {
  return new RegExp(`^${template.replace('{symbol}', '[^/]+')}$`)
}

/** Answers as recorded; what is not recorded is a path the venue does not have. */
export function recordedAnswer(request: Recorded): AnswerSpec {
  return answerOf(recordedBody(request))
}

/** The same of reads; every write is taken. */
export function recordedOrAccepted(request: Recorded): AnswerSpec {
  return request.method === 'GET' ? recordedAnswer(request) : ACCEPTED
}

/** The same of catalogued reads alone, each with the example of its own row. */
export function operationAnswer({ method, target }: Recorded): AnswerSpec {
  const [path = ''] = target.split('?')
  return answerOf(operationBody(method, path))
}

function answerOf(body: unknown): AnswerSpec {
  if (body !== undefined) return { json: body }
  return { status: 400, json: { success: false, code: -1000, message: 'path not found' } }
}

/** A venue that answers every catalogued read and every call of the named routes in recorded shape. */
export function startRecordedVenue(
  answer: (request: Recorded) => AnswerSpec | Promise<AnswerSpec> = recordedAnswer,
) {
  return startRecordingUpstream(answer)
}

/** A value for a parameter of a catalogued read. */
export function sampleOf(name: string): string {
  return SAMPLES[name] ?? `${name}-1`
}

const SAMPLES: Readonly<Record<string, string>> = {
  symbol: 'PERP_BTC_USDC',
  address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  wallet_address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  account_id: `0x${'12'.repeat(32)}`,
  key: 'ed25519:FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  limit: '7',
}

/** The path and query that ask prepd for an operation with these parameters. */
export function operationUrl(
  { id }: Pick<OperationRow, 'id'>,
  parameters: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    ...Object.fromEntries(parameters.map((name) => [name, sampleOf(name)])),
    ...extra,
  })
  return `/api/prep/op/${id}?${query}`
}

/** Parameters that are the operator's whatever a caller sends. */
export const OPERATOR_PARAMETERS: readonly string[] = ['broker_id', 'broker_ids']
