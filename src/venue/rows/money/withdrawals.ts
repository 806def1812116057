import { openConsent } from '../../accounts/consent.ts'
import { Rejection } from '../../engine/rejections.ts'
import { seatOf } from '../../exchange/seat.ts'
import type { Account, Exchange } from '../../exchange/state.ts'
import {
  amountOfUnits,
  collateralOf,
  tokenNumber,
  vaultBalanceOf,
  withdrawFeeOf,
  withdrawMinOf,
} from '../../exchange/tokens.ts'
import { CHAINS, type Chain, type Collateral } from '../../market/chains.ts'
import { refused } from '../../orders/outcomes.ts'
import { type Fields, flagField, parseBody, requiredText } from '../../wire/body.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueRow } from '../../wire/row.ts'
import { privateRow, seatRow } from '../private.ts'
import { type MoneyParts, momentOf } from './parts.ts'

/** GET /v1/withdraw_nonce and POST /v1/withdraw_request. */
export function withdrawalRows(parts: MoneyParts): readonly VenueRow[] {
  const { exchange } = parts
  return [
    seatRow(
      exchange,
      { method: 'GET', path: '/v1/withdraw_nonce', scope: 'read' },
      ({ account }) => ({ withdraw_nonce: account.nonces.withdraw + 1 }),
    ),
    privateRow(
      exchange,
      { method: 'POST', path: '/v1/withdraw_request', scope: 'trading' },
      (account, call) => ({
        withdraw_id: withdraw(parts, account, parseBody(call.body), call.nowMs),
      }),
    ),
  ]
}

/** Takes the money out of the account and sends it on its way, or throws why not and leaves everything as it was. */
function withdraw(parts: MoneyParts, owner: Account, fields: Fields, nowMs: number): number {
  const { exchange } = parts
  const moment = momentOf(parts, nowMs)
  const { message, nonce } = openConsent('Withdraw', fields, owner.profile, moment)
  const collateral = collateralOf(requiredText(message, 'token'))
  const chain = chainOf(message, collateral)
  const amount = amountOf(message, collateral)
  const isCrossChain = exceedsVault(exchange, chain, collateral, amount)
  if (isCrossChain && !flagField(message, 'allowCrossChainWithdraw'))
    throw refusal('chain', 'This chain’s vault has less: allowCrossChainWithdraw is required')
  const { engine, account } = seatOf(exchange, owner.profile.accountId)
  const outcome = engine.submit(
    'withdraw',
    {
      account: account.number,
      nonce,
      token: collateral.token,
      amount,
      fee: withdrawFeeOf(collateral),
      chainId: String(chain.id),
      receiver: requiredText(message, 'receiver'),
      isCrossChain,
    },
    nowMs,
  )
  if (outcome instanceof Rejection) throw refused(outcome)
  return outcome.id
}

function chainOf(message: Fields, { token }: Collateral): Chain {
  const chain = CHAINS.find(({ id }) => String(id) === requiredText(message, 'chainId'))
  if (chain?.contracts[token] === undefined) throw refusal('chain')
  return chain
}

/** More than the fee and the least there is. Throws 5. */
function amountOf(message: Fields, collateral: Collateral): number {
  const amount = amountOfUnits(collateral, requiredText(message, 'amount'))
  const fee = withdrawFeeOf(collateral)
  if (amount === null || amount < fee + withdrawMinOf(collateral)) {
    const least = tokenNumber(collateral.token, fee + withdrawMinOf(collateral))
    throw refusal('amount', `Amount error: at least ${least} ${collateral.token}, fee included`)
  }
  return amount
}

function exceedsVault(
  { floor }: Exchange,
  chain: Chain,
  { token }: Collateral,
  amount: number,
): boolean {
  return BigInt(amount) > vaultBalanceOf(floor(), chain, token)
}
