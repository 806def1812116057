import { ReferralCodeBody, ReferralRateBody } from '../contract/referral.ts'
import { ROUTES as R } from '../contract/routes.ts'
import { TypedDataBody } from '../contract/typed-data.ts'
import {
  DecisionBody,
  MandateBody,
  RegisterBody,
  TradingKeyBody,
  WebhookBody,
} from '../contract/wallet-messages.ts'
import type { Query } from '../core/query.ts'
import { decideApproval, showApproval } from '../gateway/account/approval-decision.ts'
import { registerWallet, registrationNonce } from '../gateway/account/registration.ts'
import { bindTradingKey } from '../gateway/account/trading-key.ts'
import { type TypedDataAccess, typedData } from '../gateway/account/typed-data.ts'
import { signMandate } from '../gateway/account/wallet-mandate.ts'
import { signWebhook } from '../gateway/account/wallet-webhook.ts'
import type { Answer } from '../gateway/cache/answer.ts'
import { catalogueAnswer } from '../gateway/catalogue.ts'
import { admitRead } from '../gateway/limits/admission.ts'
import { liquidations, trades } from '../gateway/market/activity.ts'
import type { MarketAccess, TimedMarketAccess } from '../gateway/market/cached-answers.ts'
import { candles } from '../gateway/market/candles.ts'
import { config } from '../gateway/market/config.ts'
import { depositChains, insuranceFund, tokens } from '../gateway/market/funds.ts'
import { leaderboard, points, type RewardsAccess, whales } from '../gateway/market/leaderboard.ts'
import { funding, marketRules, markets } from '../gateway/market/markets.ts'
import { type OperationAccess, readOperation } from '../gateway/market/operations.ts'
import { orderbook } from '../gateway/market/orderbook.ts'
import { marketSessions } from '../gateway/market/sessions.ts'
import { claimReferralCode, referralVerify } from '../gateway/referral/code.ts'
import type { ReferralAccess } from '../gateway/referral/program.ts'
import { setReferralRate } from '../gateway/referral/rate.ts'
import type { Swap } from '../gateway/swap/swap.ts'
import {
  type RouteAccess,
  readRoute,
  requestQuery,
  routePlugin,
  writeRoute,
} from './server/endpoints.ts'
import { requestHost } from './server/origin.ts'
import { toResponse } from './server/responses.ts'

type ReadAccess = TimedMarketAccess & RewardsAccess

type Read = (deps: ReadAccess, query: Query) => Answer | Promise<Answer>

const READS = {
  markets,
  marketRules,
  orderbook,
  candles,
  trades,
  funding,
  marketSessions,
  config,
  tokens,
  depositChains,
  insuranceFund,
  liquidations,
  leaderboard,
  whales,
  points,
} as const satisfies Partial<Record<keyof typeof R, Read>>

const IDS = Object.keys(READS).filter((id): id is keyof typeof READS => Object.hasOwn(READS, id))

/** The market-data routes. */
export const market = (parts: RouteAccess & { readonly deps: ReadAccess }) =>
  routePlugin(
    'market',
    parts,
    IDS.map((id) => {
      const read: Read = READS[id]
      return readRoute(R[id], (query) => read(parts.deps, query))
    }),
  )

/** The routes of the operation catalogue and its dispatcher. */
export const discovery = (parts: RouteAccess & { readonly deps: OperationAccess }) => {
  const { deps, callers, limiter } = parts
  return routePlugin('discovery', parts, [readRoute(R.catalogue, () => catalogueAnswer(deps))]).get(
    '/api/prep/op/:id',
    async ({ request, params }) => {
      const caller = callers.of(request)
      admitRead(limiter, caller.limitKey)
      const answer = await readOperation(deps, params.id, requestQuery(request), caller)
      return toResponse(answer, request.headers)
    },
  )
}

/** Account routes: nonce, message to sign, registration, key binding, the wallet's mandate and its approvals. */
export const account = (parts: RouteAccess & { readonly deps: TypedDataAccess }) => {
  const { deps } = parts
  return routePlugin('account', parts, [
    readRoute(R.registrationNonce, () => registrationNonce(deps)),
    writeRoute(R.typedData, TypedDataBody, (body, _caller, request) =>
      typedData(deps, body, requestHost(request)),
    ),
    writeRoute(R.register, RegisterBody, (body) => registerWallet(deps, body)),
    writeRoute(R.tradingKey, TradingKeyBody, (body) => bindTradingKey(deps, body)),
    writeRoute(R.mandate, MandateBody, (body) => signMandate(deps, body)),
    writeRoute(R.webhook, WebhookBody, (body) => signWebhook(deps, body)),
    readRoute(R.approval, (query) => showApproval(deps, query)),
    writeRoute(R.decideApproval, DecisionBody, (body) => decideApproval(deps, body)),
  ])
}

/** Referral code routes: look up a code, claim it, raise its rate. */
export const referral = (parts: RouteAccess & { readonly deps: ReferralAccess & MarketAccess }) => {
  const { deps } = parts
  return routePlugin('referral', parts, [
    readRoute(R.referralVerify, (query) => referralVerify(deps, query)),
    writeRoute(R.referralCode, ReferralCodeBody, (body) => claimReferralCode(deps, body)),
    writeRoute(R.referralRate, ReferralRateBody, (body) => setReferralRate(deps, body)),
  ])
}

/** Routes for swap quotes, chains and tokens. Transfer status is in `legacy`, since its failures have no code. */
export const swap = (parts: RouteAccess & { readonly swap: Swap }) =>
  routePlugin('swap', parts, [
    readRoute(R.swapQuote, (query) => parts.swap.quote(query)),
    readRoute(R.swapTokens, (query) => parts.swap.tokens(query)),
    readRoute(R.swapChains, () => parts.swap.chains()),
  ])
