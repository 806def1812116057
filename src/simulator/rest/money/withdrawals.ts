import { openConsent } from '../../accounts/wallet.ts'
import {
  amountOfUnits,
  chainVaultBalance,
  collateralTerms,
  tokenNumber,
  withdrawalFee,
  withdrawalMinimum,
} from '../../exchange/tokens.ts'
import { marketAt } from '../../exchange/trading-context.ts'
import { CHAINS, type Chain, type Collateral } from '../../listing/chains.ts'
import { type Fields, flagField, requiredText } from '../../messages/body.ts'
import { periodFilter, selectedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { wireUsdc } from '../../messages/values.ts'
import { accepted } from '../../state/rejections.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'

/** Withdrawals and settlements: nonces, messages to sign, and the history of settlements. */
export const WITHDRAWALS: SignedTable = {
  read: {
    'GET /v1/withdraw_nonce': ({ context }) => ({
      withdraw_nonce: context.account.nonces.withdraw + 1,
    }),
    'GET /v1/settle_nonce': ({ context }) => ({ settle_nonce: context.account.nonces.settle + 1 }),
    'GET /v1/pnl_settlement/history': settlementHistory,
  },
  trading: {
    'POST /v1/withdraw_request': (call) => ({ withdraw_id: withdraw(call) }),
    'POST /v1/settle_pnl': ({ account: { profile }, context, fields, nowMs, moment }) => {
      const { nonce } = openConsent('SettlePnl', fields, profile, moment)
      const settlement = { account: context.account.number, nonce }
      return { settle_pnl_id: accepted(context.engine.submit('settle', settlement, nowMs)) }
    },
  },
}

/** Starts a withdrawal. If it throws a refusal, nothing has changed. */
function withdraw(call: SignedCall): number {
  const { account: owner, context, fields, exchange, nowMs, moment } = call
  const { message, nonce } = openConsent('Withdraw', fields, owner.profile, moment)
  const collateral = collateralTerms(requiredText(message, 'token'))
  const { token } = collateral
  const chain = withdrawalChain(message, collateral)
  const amount = withdrawalAmount(message, collateral)
  const isCrossChain = BigInt(amount) > chainVaultBalance(exchange.simulation(), chain, token)
  if (isCrossChain && !flagField(message, 'allowCrossChainWithdraw'))
    throw refusal('chain', 'This chain’s vault has less: allowCrossChainWithdraw is required')
  const withdrawal = {
    account: context.account.number,
    ...{ nonce, token, amount, isCrossChain },
    fee: withdrawalFee(collateral),
    chainId: String(chain.id),
    receiver: requiredText(message, 'receiver'),
  }
  return accepted(context.engine.submit('withdraw', withdrawal, nowMs)).id
}

function withdrawalChain(message: Fields, { token }: Collateral): Chain {
  const chain = CHAINS.find(({ id }) => String(id) === requiredText(message, 'chainId'))
  if (chain?.contracts[token] === undefined) throw refusal('chain')
  return chain
}

/** A withdrawal's amount. Throws 5 if it is less than the minimum plus the fee. */
function withdrawalAmount(message: Fields, collateral: Collateral): number {
  const amount = amountOfUnits(collateral, requiredText(message, 'amount'))
  const fee = withdrawalFee(collateral)
  if (amount === null || amount < fee + withdrawalMinimum(collateral)) {
    const least = tokenNumber(collateral.token, fee + withdrawalMinimum(collateral))
    throw refusal('amount', `Amount error: at least ${least} ${collateral.token}, fee included`)
  }
  return amount
}

/** The account's settlements, latest first. */
function settlementHistory({ context, query }: SignedCall) {
  const chosen = context.lists.settlements().select({ isWithin: periodFilter(query) })
  return selectedPage(chosen, query, ({ id, before, after, requestedAtMs, atMs, parts }) => ({
    id,
    old_balance: wireUsdc(before),
    new_balance: wireUsdc(after),
    settled_amount: wireUsdc(after - before),
    requested_time: requestedAtMs,
    settled_time: atMs,
    symbols: parts.map((part) => ({
      symbol: marketAt(context, part).spec.symbol,
      settled_amount: wireUsdc(part.amount),
    })),
  }))
}
