import { Elysia } from 'elysia'
import type { Answer } from '../cache/answer.ts'
import type { Query } from '../core/query.ts'
import { register, registrationNonce } from '../gateway/account/registration.ts'
import { bindTradingKey } from '../gateway/account/trading-key.ts'
import { type TypedDataDeps, typedData } from '../gateway/account/typed-data.ts'
import { decideApproval, showApproval } from '../gateway/account/wallet-approval.ts'
import { signMandate } from '../gateway/account/wallet-mandate.ts'
import { signWebhook } from '../gateway/account/wallet-webhook.ts'
import { catalogueAnswer } from '../gateway/catalogue.ts'
import { liquidations, trades } from '../gateway/market/activity.ts'
import { candles } from '../gateway/market/candles.ts'
import { config } from '../gateway/market/config.ts'
import { depositChains, insuranceFund, tokens } from '../gateway/market/funds.ts'
import { leaderboard, type PointsDeps, points, whales } from '../gateway/market/leaderboard.ts'
import { funding, marketRules, markets } from '../gateway/market/markets.ts'
import { type OperationDeps, readOperation } from '../gateway/market/operations.ts'
import { orderbook } from '../gateway/market/orderbook.ts'
import type { MarketDeps, TimedDeps } from '../gateway/market/shaped.ts'
import { claimReferralCode, referralVerify } from '../gateway/referral/code.ts'
import type { ReferralDeps } from '../gateway/referral/program.ts'
import { setReferralRate } from '../gateway/referral/rate.ts'
import { admitRead } from '../limits/admission.ts'
import { ReferralCodeBody, ReferralRateBody } from '../spec/referral.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { TypedDataBody } from '../spec/typed-data.ts'
import {
  DecisionBody,
  MandateBody,
  RegisterBody,
  TradingKeyBody,
  WebhookBody,
} from '../spec/wallet-messages.ts'
import type { Swap } from '../swap/swap.ts'
import { type Entrance, queryOf, RAW, reading, writing } from './http/endpoints.ts'
import { toResponse } from './http/responses.ts'
import { hostOf } from './http/same-site.ts'

type ReadDeps = TimedDeps & PointsDeps

type Read = (deps: ReadDeps, query: Query) => Answer | Promise<Answer>

const READS = {
  markets,
  marketRules,
  orderbook,
  candles,
  trades,
  funding,
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

/** The fourteen market-data routes. */
export const market = (parts: Entrance & { readonly deps: ReadDeps }) => {
  const plugin = new Elysia({ name: 'routes.market' })
  for (const id of IDS) {
    const read: Read = READS[id]
    plugin.get(
      R[id].path,
      reading(parts, R[id], (query) => read(parts.deps, query)),
    )
  }
  return plugin
}

/** The catalogue, and the one dispatcher behind it. */
export const discovery = (parts: Entrance & { readonly deps: OperationDeps }) => {
  const { deps, callers, limiter } = parts
  return new Elysia({ name: 'routes.discovery' })
    .get(
      R.catalogue.path,
      reading(parts, R.catalogue, () => catalogueAnswer(deps)),
    )
    .get('/api/prep/op/:id', async ({ request, params }) => {
      const caller = callers.of(request)
      admitRead(limiter, caller.limitKey)
      const answer = await readOperation(deps, params.id, queryOf(request), caller)
      return toResponse(answer, request.headers)
    })
}

/** Account creation: nonce, message to sign, registration, key binding; what its wallet limits it to and approves. */
export const account = (parts: Entrance & { readonly deps: TypedDataDeps }) => {
  const { deps } = parts
  return new Elysia({ name: 'routes.account' })
    .get(
      R.registrationNonce.path,
      reading(parts, R.registrationNonce, () => registrationNonce(deps)),
    )
    .post(
      R.typedData.path,
      writing(parts, R.typedData, TypedDataBody, (body, _caller, request) =>
        typedData(deps, body, hostOf(request)),
      ),
      RAW,
    )
    .post(
      R.register.path,
      writing(parts, R.register, RegisterBody, (body) => register(deps, body)),
      RAW,
    )
    .post(
      R.tradingKey.path,
      writing(parts, R.tradingKey, TradingKeyBody, (body) => bindTradingKey(deps, body)),
      RAW,
    )
    .post(
      R.mandate.path,
      writing(parts, R.mandate, MandateBody, (body) => signMandate(deps, body)),
      RAW,
    )
    .post(
      R.webhook.path,
      writing(parts, R.webhook, WebhookBody, (body) => signWebhook(deps, body)),
      RAW,
    )
    .get(
      R.approval.path,
      reading(parts, R.approval, (query) => showApproval(deps, query)),
    )
    .post(
      R.decideApproval.path,
      writing(parts, R.decideApproval, DecisionBody, (body) => decideApproval(deps, body)),
      RAW,
    )
}

/** Referral codes: look up, claim, raise the rate. */
export const referral = (parts: Entrance & { readonly deps: ReferralDeps & MarketDeps }) => {
  const { deps } = parts
  return new Elysia({ name: 'routes.referral' })
    .get(
      R.referralVerify.path,
      reading(parts, R.referralVerify, (query) => referralVerify(deps, query)),
    )
    .post(
      R.referralCode.path,
      writing(parts, R.referralCode, ReferralCodeBody, (body) => claimReferralCode(deps, body)),
      RAW,
    )
    .post(
      R.referralRate.path,
      writing(parts, R.referralRate, ReferralRateBody, (body) => setReferralRate(deps, body)),
      RAW,
    )
}

/** Swap quotes and what can be swapped; transfer status is with the routes that have no codes. */
export const swap = (parts: Entrance & { readonly swap: Swap }) =>
  new Elysia({ name: 'routes.swap' })
    .get(
      R.swapQuote.path,
      reading(parts, R.swapQuote, (query) => parts.swap.quote(query)),
    )
    .get(
      R.swapTokens.path,
      reading(parts, R.swapTokens, (query) => parts.swap.tokens(query)),
    )
    .get(
      R.swapChains.path,
      reading(parts, R.swapChains, () => parts.swap.chains()),
    )
