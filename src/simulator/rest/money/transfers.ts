import { isObject } from '../../../core/json.ts'
import { openConsent } from '../../accounts/wallet.ts'
import type { AccountProfile, VenueState } from '../../exchange/state.ts'
import { amountOfUnits, collateralTerms, tokenAmount, tokenNumber } from '../../exchange/tokens.ts'
import { tradingContext } from '../../exchange/trading-context.ts'
import type { TransferRow } from '../../history/account-rows.ts'
import { USDC } from '../../ledger/balances.ts'
import type { TransferPart } from '../../ledger/moves.ts'
import { requiredText, textField } from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { periodFilter, queryText, requiredQuery, selectedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { accepted } from '../../state/rejections.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'

/** Transfers between accounts and their history. A key with the right scope signs v1, the wallet signs v2. */
export const TRANSFERS: SignedTable = {
  read: {
    'GET /v1/transfer_nonce': ({ context }) => ({
      transfer_nonce: context.account.nonces.transfer + 1,
    }),
  },
  asset: {
    'POST /v1/internal_transfer': byKey,
    'GET /v1/internal_transfer_history': transferHistory,
  },
  trading: { 'POST /v2/internal_transfer': byWallet },
}

function byKey(call: SignedCall) {
  const { exchange, fields } = call
  const { profile } = call.account
  const { token } = collateralTerms(textField(fields, 'token') ?? USDC)
  const list = fields['receiver_list']
  const max = EXCHANGE_LIMITS.transferReceiversMax
  if (!Array.isArray(list) || list.length === 0 || list.length > max)
    throw refusal('parameter', `receiver_list must be a list of 1 to ${max} receivers`)
  const parts = list.map((each: unknown): TransferPart => {
    const receiver = isObject(each) ? each : {}
    const to = transferReceiver(exchange, profile, requiredText(receiver, 'account_id'))
    if (!isRelated(profile, to))
      throw refusal('rejected', 'Internal transfer is not available between these accounts')
    const amount = tokenAmount(token, requiredText(receiver, 'amount'))
    return { to: tradingContext(exchange, to.accountId).account.number, amount: positive(amount) }
  })
  return send(call, { token, parts })
}

function byWallet(call: SignedCall) {
  const { exchange, fields, moment } = call
  const { profile } = call.account
  const { message, nonce } = openConsent('InternalTransfer', fields, profile, moment)
  const collateral = collateralTerms(requiredText(message, 'token'))
  const { accountId } = transferReceiver(exchange, profile, requiredText(message, 'receiver'))
  const amount = positive(amountOfUnits(collateral, requiredText(message, 'amount')))
  const part = { to: tradingContext(exchange, accountId).account.number, amount }
  return send(call, { token: collateral.token, parts: [part], nonce })
}

type Sending = {
  readonly token: string
  readonly parts: readonly TransferPart[]
  readonly nonce?: number
}

function send({ context, nowMs }: SignedCall, sending: Sending) {
  const { engine, account } = context
  const transfer = { account: account.number, ...sending }
  return { internal_transfer_request_id: accepted(engine.submit('transfer', transfer, nowMs)) }
}

/** A transfer's receiver. Throws 35 for an unknown account, 37 for the sender, 46 for another wallet's sub-account. */
function transferReceiver(
  { accounts }: VenueState,
  from: AccountProfile,
  accountId: string,
): AccountProfile {
  const to = accounts.get(accountId.toLowerCase())?.profile
  if (!to) throw refusal('receiver')
  if (to.accountId === from.accountId) throw refusal('self')
  const isForeign = to.main !== undefined && to.main !== (from.main ?? from.accountId)
  if (isForeign) throw refusal('foreignSubAccount')
  return to
}

/** Whether transfers between two accounts are allowed: they have the same wallet or the same broker. */
function isRelated(from: AccountProfile, to: AccountProfile): boolean {
  return from.address === to.address || from.brokerId === to.brokerId
}

function positive(amount: number | null): number {
  if (amount === null || amount <= 0) throw refusal('amount')
  return amount
}

/** The account's transfers that a query selects, latest first. */
function transferHistory({ exchange, context: { lists, engine }, query, accountId }: SignedCall) {
  const side = requiredQuery(query, 'side')
  if (side !== 'IN' && side !== 'OUT') throw refusal('parameter', 'side must be IN or OUT')
  const keyAt = (number: number) => engine.world.exchange.accounts[number]?.key ?? ''
  const chosen = lists.transfers().select({
    isWithin: periodFilter(query),
    isWanted: ({ status, ...ends }) => {
      const [from, to] = [keyAt(ends.account), keyAt(ends.to)]
      const isOwn = (side === 'IN' ? to : from) === accountId
      return isOwn && isSelected(query, exchange, { status }, from, to)
    },
  })
  return selectedPage(chosen, query, (row) => transferShape(row, keyAt(row.account), keyAt(row.to)))
}

function isSelected(
  query: URLSearchParams,
  { accounts }: VenueState,
  { status }: Pick<TransferRow, 'status'>,
  from: string,
  to: string,
): boolean {
  const isSame = (name: string, value: string) =>
    (queryText(query, name)?.toLowerCase() ?? value) === value
  const isSub = [from, to].some((key) => accounts.get(key)?.profile.main !== undefined)
  return (
    isSame('status', status.toLowerCase()) &&
    isSame('from_account_id', from) &&
    isSame('to_account_id', to) &&
    isSame('main_sub_only', String(isSub))
  )
}

function transferShape(row: TransferRow, from: string, to: string) {
  return {
    internal_transfer_request_id: row.request,
    id: String(row.id),
    token: row.token,
    amount: tokenNumber(row.token, row.amount),
    from_account_id: from,
    to_account_id: to,
    status: row.status,
    created_time: row.atMs,
    updated_time: row.updatedAtMs,
  }
}
