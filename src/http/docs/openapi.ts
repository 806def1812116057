import { ApprovalAnswer } from '../../contract/approval.ts'
import { CatalogueAnswer, Envelope, PayloadAnswer } from '../../contract/envelope.ts'
import { FailureAnswer } from '../../contract/failure-answer.ts'
import { MandateAnswer } from '../../contract/mandate.ts'
import * as Market from '../../contract/market.ts'
import { OPERATION_GROUPS, OPERATIONS, type Operation } from '../../contract/operations.ts'
import { type ExampleValues, parameterExample } from '../../contract/reference/examples.ts'
import * as Referral from '../../contract/referral.ts'
import { ROUTES, type Route, type RouteId } from '../../contract/routes.ts'
import { StandbyAnswer, StandbyBody } from '../../contract/standby.ts'
import * as Swap from '../../contract/swap-answers.ts'
import { TypedDataAnswer, TypedDataBody } from '../../contract/typed-data.ts'
import { VoucherBody } from '../../contract/voucher.ts'
import * as Wallet from '../../contract/wallet-messages.ts'
import { WebhookAnswer } from '../../contract/webhook.ts'
import { COMMON_FAILURES, failureReferences, failureResponses, guideText } from './guide.ts'

type Schema = Readonly<Record<string, unknown>>

/** A JSON-RPC 2.0 message. `tools/list` returns the tools and their parameters. */
const RPC_MESSAGE = {
  type: 'object',
  required: ['jsonrpc'],
  properties: { jsonrpc: { type: 'string', enum: ['2.0'] } },
} as const

/** The schema of each route's body. */
const BODIES: Partial<Record<RouteId, Schema>> = {
  typedData: TypedDataBody,
  register: Wallet.RegisterBody,
  tradingKey: Wallet.TradingKeyBody,
  mandate: Wallet.MandateBody,
  webhook: Wallet.WebhookBody,
  relay: Envelope,
  approvedRelay: Envelope,
  decideApproval: Wallet.DecisionBody,
  standby: StandbyBody,
  voucher: VoucherBody,
  referralCode: Referral.ReferralCodeBody,
  referralRate: Referral.ReferralRateBody,
  agent: RPC_MESSAGE,
}

/** The schema of each route's answer. */
const ANSWERS: Record<Exclude<RouteId, 'socket' | 'events'>, Schema> = {
  catalogue: CatalogueAnswer,
  registrationNonce: Wallet.NonceAnswer,
  typedData: TypedDataAnswer,
  register: Wallet.RegisterAnswer,
  tradingKey: Wallet.TradingKeyAnswer,
  mandate: MandateAnswer,
  webhook: WebhookAnswer,
  relay: PayloadAnswer,
  approvedRelay: PayloadAnswer,
  approval: ApprovalAnswer,
  decideApproval: ApprovalAnswer,
  standby: StandbyAnswer,
  markets: Market.MarketsAnswer,
  marketRules: Market.MarketRulesAnswer,
  orderbook: Market.OrderbookAnswer,
  candles: Market.CandlesAnswer,
  trades: Market.TradesAnswer,
  funding: Market.FundingAnswer,
  marketSessions: Market.MarketSessionsAnswer,
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

/** The groups of routes, in the order in which a new user needs them. */
const TAGS = {
  market: 'Public market data.',
  account: 'Account creation, authorised by a wallet.',
  relay: 'Every private read and write, signed by the caller.',
  stream: 'Live data.',
  agent: 'Tools for an AI agent.',
  swap: 'Swap quotes, tokens, chains and transfers.',
  voucher: 'Redemption vouchers.',
  referral: "Referral codes, and the operator's part in them.",
  discovery: 'The catalogue of reads, which follow by group.',
} as const satisfies Record<Route['family'], string>

const READ_TAGS = OPERATION_GROUPS.map((group) => ({
  name: groupTag(group),
  description: `Catalogued reads: ${group}.`,
}))

function groupTag(group: string): string {
  return `read: ${group}`
}

/** The failure responses of routes whose failures have a different format. */
const OWN_FAILURES = {
  codeless: rangeResponses('Codeless'),
  rpc: rangeResponses('Rpc'),
} as const satisfies Record<NonNullable<Route['failures']>, object>

function rangeResponses(name: string) {
  const reference = { $ref: `#/components/responses/${name}` }
  return { '4XX': reference, '5XX': reference }
}

export type OpenApiOptions = Examples & {
  readonly serviceName: string
  readonly version: string
}

type Examples = {
  readonly practised: ExampleValues
  /** Example bodies by route id. */
  readonly bodies: Readonly<Record<string, object>>
}

/** The OpenAPI 3.1 document of the whole public API, generated from the tables. */
export function openApiDocument({ serviceName, version, ...examples }: OpenApiOptions) {
  return {
    openapi: '3.1.0',
    info: {
      title: `${serviceName} API`,
      description: guideText(),
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [
      ...Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      ...READ_TAGS,
    ],
    paths: Object.fromEntries(pathItems(examples)),
    components: {
      schemas: { Failure: FailureAnswer },
      responses: { ...failureResponses(), Codeless: codelessResponse(), Rpc: rpcResponse() },
    },
  }
}

/** Every path with its OpenAPI item: first the routes, then the catalogue's reads. */
function* pathItems(examples: Examples): Generator<[path: string, item: object]> {
  for (const [id, route] of Object.entries(ROUTES))
    if (id !== 'operation') yield [route.path, pathItem(id, route, examples)]
  const rows: [string, Operation][] = Object.entries(OPERATIONS)
  for (const [id, row] of rows)
    yield [`/api/prep/op/${id}`, { get: operationItem(id, row, examples.practised) }]
}

function pathItem(id: string, route: Route, { practised, bodies }: Examples) {
  const schema = BODIES[id as RouteId]
  const example = bodies[id]
  return {
    [route.method.toLowerCase()]: {
      operationId: id,
      summary: route.summary,
      tags: [route.family],
      ...(route.parameters && {
        parameters: route.parameters.map((parameter) => ({
          in: 'query',
          ...parameter,
          example: parameterExample(id, parameter.name, practised),
        })),
      }),
      ...(schema && {
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
      }),
      responses: {
        ...goodAnswer(id, route),
        ...(route.failures ? OWN_FAILURES[route.failures] : failureReferences(COMMON_FAILURES)),
      },
    },
  }
}

/** The success response of a route: its payload, or an open connection. */
function goodAnswer(id: string, { answers }: Route) {
  if (answers === 'socket') return { 101: { description: 'The connection is a WebSocket now.' } }
  if (answers === 'events') {
    const content = { 'text/event-stream': { schema: { type: 'string' } } }
    return { 200: { description: 'Events for as long as the connection stands.', content } }
  }
  return { 200: success(ANSWERS[id as keyof typeof ANSWERS]) }
}

function operationItem(id: string, row: Operation, practised: ExampleValues) {
  const parameters = row.parameters.map(({ name, required, description }) => ({
    in: 'query',
    name,
    required,
    description,
    schema: { type: 'string' },
    example: parameterExample(id, name, practised),
  }))
  return {
    operationId: id,
    summary: row.summary,
    tags: [groupTag(row.group)],
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: success(PayloadAnswer),
      ...failureReferences(['not_found', ...COMMON_FAILURES]),
    },
  }
}

function success(schema: Schema) {
  return { description: 'The payload itself.', content: { 'application/json': { schema } } }
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
