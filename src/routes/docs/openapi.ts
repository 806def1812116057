import { CatalogueAnswer, Envelope, PayloadAnswer } from '../../spec/envelope.ts'
import { FailureAnswer } from '../../spec/failure/answer.ts'
import { FAILURES, type FailureCode } from '../../spec/failures.ts'
import * as Market from '../../spec/market.ts'
import { OPERATIONS, type Operation } from '../../spec/operations.ts'
import * as Referral from '../../spec/referral.ts'
import * as Registration from '../../spec/registration.ts'
import { ROUTES, type Route, type RouteId } from '../../spec/routes.ts'
import * as Swap from '../../spec/swap-answers.ts'
import { VoucherBody } from '../../spec/voucher.ts'

type Schema = Readonly<Record<string, unknown>>

/** A JSON-RPC 2.0 message; what tools there are and what they take is told by `tools/list`. */
const RPC_MESSAGE = {
  type: 'object',
  required: ['jsonrpc'],
  properties: { jsonrpc: { type: 'string', enum: ['2.0'] } },
} as const

/** What each route with a body takes. */
const BODIES: Partial<Record<RouteId, Schema>> = {
  typedData: Registration.TypedDataBody,
  register: Registration.RegisterBody,
  tradingKey: Registration.TradingKeyBody,
  relay: Envelope,
  voucher: VoucherBody,
  referralCode: Referral.ReferralCodeBody,
  referralRate: Referral.ReferralRateBody,
}

/** What each route answers. */
const ANSWERS: Record<Exclude<RouteId, 'socket' | 'events'>, Schema> = {
  catalogue: CatalogueAnswer,
  registrationNonce: Registration.NonceAnswer,
  typedData: Registration.TypedDataAnswer,
  register: Registration.RegisterAnswer,
  tradingKey: Registration.TradingKeyAnswer,
  relay: PayloadAnswer,
  markets: Market.MarketsAnswer,
  marketRules: Market.MarketRulesAnswer,
  orderbook: Market.OrderbookAnswer,
  candles: Market.CandlesAnswer,
  trades: Market.TradesAnswer,
  funding: Market.FundingAnswer,
  config: Market.ConfigAnswer,
  tokens: Market.TokensAnswer,
  depositChains: Market.DepositChainsAnswer,
  insuranceFund: Market.InsuranceFundAnswer,
  liquidations: Market.LiquidationsAnswer,
  leaderboard: Market.LeaderboardAnswer,
  whales: Market.LeaderboardAnswer,
  points: Market.PointsAnswer,
  referralVerify: Referral.ReferralVerifyAnswer,
  referralCode: Referral.ReferralCodeAnswer,
  referralRate: Referral.ReferralRateAnswer,
  operation: PayloadAnswer,
  swapQuote: Swap.SwapQuoteAnswer,
  swapTokens: Swap.SwapTokensAnswer,
  swapChains: Swap.SwapChainsAnswer,
  swapStatus: Swap.SwapStatusAnswer,
  voucher: PayloadAnswer,
  agent: RPC_MESSAGE,
}

const TAGS = {
  discovery: 'What there is: the catalogue and its reads.',
  account: 'Account creation, authorised by a wallet.',
  relay: 'Every private read and write, signed by the caller.',
  market: 'Public market data.',
  stream: 'Live data.',
  referral: "Referral codes, and the operator's part in them.",
  swap: 'Swap quotes, tokens, chains and transfers.',
  voucher: 'Redemption vouchers.',
  agent: 'Tools for an AI agent.',
} as const satisfies Record<Route['family'], string>

/** The failures any route can answer. */
const COMMON: readonly FailureCode[] = ['invalid_request', 'rate_limited', 'internal']

/** The failures of routes that answer them in their own way. */
const OWN_FAILURES = {
  codeless: rangesOf('Codeless'),
  rpc: rangesOf('Rpc'),
} as const satisfies Record<NonNullable<Route['failures']>, object>

function rangesOf(name: string) {
  const reference = { $ref: `#/components/responses/${name}` }
  return { '4XX': reference, '5XX': reference }
}

/** The OpenAPI 3.1 document of the whole public surface, made from the tables. */
export function openApiDocument({
  serviceName,
  version,
}: {
  readonly serviceName: string
  readonly version: string
}) {
  return {
    openapi: '3.1.0',
    info: {
      title: `${serviceName} API`,
      version,
      description: 'Perpetual futures: public market data, account creation and a signed relay.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...routePaths(), ...operationPaths() },
    components: {
      schemas: { Failure: FailureAnswer },
      responses: { ...failureResponses(), Codeless: codelessResponse(), Rpc: rpcResponse() },
    },
  }
}

function routePaths() {
  const rows = Object.entries(ROUTES).filter(([id]) => id !== 'operation')
  return Object.fromEntries(rows.map(([id, route]) => [route.path, pathItem(id, route)]))
}

function pathItem(id: string, route: Route) {
  const body = BODIES[id as RouteId]
  return {
    [route.method.toLowerCase()]: {
      operationId: id,
      summary: route.summary,
      tags: [route.family],
      ...(route.parameters && {
        parameters: route.parameters.map((parameter) => ({ in: 'query', ...parameter })),
      }),
      ...(body && {
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
      }),
      responses: {
        ...goodAnswer(id, route),
        ...(route.failures ? OWN_FAILURES[route.failures] : failureReferences(COMMON)),
      },
    },
  }
}

/** The answer that is no failure: the payload, or a connection. */
function goodAnswer(id: string, { answers }: Route) {
  if (answers === 'socket') return { 101: { description: 'The connection is a WebSocket now.' } }
  if (answers === 'events') {
    const content = { 'text/event-stream': { schema: { type: 'string' } } }
    return { 200: { description: 'Events for as long as the connection stands.', content } }
  }
  return { 200: success(ANSWERS[id as keyof typeof ANSWERS]) }
}

function operationPaths() {
  const rows: [string, Operation][] = Object.entries(OPERATIONS)
  return Object.fromEntries(
    rows.map(([id, row]) => [`/api/prep/op/${id}`, { get: operationItem(id, row) }]),
  )
}

function operationItem(id: string, row: Operation) {
  const parameters = row.parameters.map(({ name, required, description }) => ({
    in: 'query',
    name,
    required,
    description,
    schema: { type: 'string' },
  }))
  return {
    operationId: id,
    summary: row.summary,
    tags: ['discovery'],
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: success(PayloadAnswer), ...failureReferences(['not_found', ...COMMON]) },
  }
}

function success(schema: Schema) {
  return { description: 'The payload itself.', content: { 'application/json': { schema } } }
}

/** One reference a status: several codes may share one. */
function failureReferences(codes: readonly FailureCode[]) {
  const statuses = new Set(codes.map((code) => FAILURES[code].status))
  const rows = [...statuses].map((status) => [
    status,
    { $ref: `#/components/responses/${nameOf(status)}` },
  ])
  return Object.fromEntries([...rows, ['default', { $ref: '#/components/responses/Failure' }]])
}

function nameOf(status: number): string {
  return `Failure${status}`
}

function failureResponses() {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } }
  const statuses = new Set(Object.values(FAILURES).map(({ status }) => status))
  const rows = [...statuses].map((status) => [
    nameOf(status),
    { description: codesOf(status), content },
  ])
  return Object.fromEntries([
    ...rows,
    ['Failure', { description: 'Any other failure of the closed list.', content }],
  ])
}

function codelessResponse() {
  const schema = {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'string' }, code: { type: 'string', enum: ['rate_limited'] } },
  }
  return {
    description: 'A sentence of a closed list; only rate_limited carries a code.',
    content: { 'application/json': { schema } },
  }
}

function rpcResponse() {
  const content = { 'application/json': { schema: RPC_MESSAGE } }
  return { description: 'A JSON-RPC error without an id; its code is the status.', content }
}

function codesOf(status: number): string {
  const rows = Object.entries(FAILURES).filter(([, row]) => row.status === status)
  return rows.map(([code, row]) => `${code}: ${row.error}`).join(' ')
}
