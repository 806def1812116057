import { isObject } from '../../../core/json.ts'
import { openConsent } from '../../accounts/consent.ts'
import { USDC } from '../../engine/money/balances.ts'
import type { Part } from '../../engine/money/moves.ts'
import type { TransferRow } from '../../engine/records/ledger.ts'
import { Rejection } from '../../engine/rejections.ts'
import { EXCHANGE_LIMITS } from '../../exchange/limits.ts'
import { type Seat, seatOf } from '../../exchange/seat.ts'
import type { Account, Exchange, Profile } from '../../exchange/state.ts'
import { amountOfUnits, collateralOf, tokenAmount, tokenNumber } from '../../exchange/tokens.ts'
import { refused } from '../../orders/outcomes.ts'
import { type Fields, parseBody, requiredText, textField } from '../../wire/body.ts'
import { pageOf, periodOf, queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../../wire/row.ts'
import { privateRow, seatRow } from '../private.ts'
import { type MoneyParts, momentOf } from './parts.ts'

/** Transfers between accounts: by a key that may (v1), or by the wallet's consent (v2), and their history. */
export function transferRows(parts: MoneyParts): readonly VenueRow[] {
  const { exchange } = parts
  return [
    seatRow(
      exchange,
      { method: 'GET', path: '/v1/transfer_nonce', scope: 'read' },
      ({ account }) => ({ transfer_nonce: account.nonces.transfer + 1 }),
    ),
    privateRow(
      exchange,
      { method: 'POST', path: '/v1/internal_transfer', scope: 'asset' },
      (owner, { body, nowMs }) => byKey(exchange, owner, parseBody(body), nowMs),
    ),
    privateRow(
      exchange,
      { method: 'POST', path: '/v2/internal_transfer', scope: 'trading' },
      (owner, { body, nowMs }) => byWallet(parts, owner, parseBody(body), nowMs),
    ),
    seatRow(
      exchange,
      { method: 'GET', path: '/v1/internal_transfer_history', scope: 'asset' },
      (seat, call) => transferHistory(seat, exchange, call),
    ),
  ]
}

function byKey(exchange: Exchange, { profile }: Account, fields: Fields, nowMs: number) {
  const { token } = collateralOf(textField(fields, 'token') ?? USDC)
  const list = fields['receiver_list']
  const max = EXCHANGE_LIMITS.transferReceiversMax
  if (!Array.isArray(list) || list.length === 0 || list.length > max)
    throw refusal('parameter', `receiver_list must be a list of 1 to ${max} receivers`)
  const parts = list.map((each: unknown): Part => {
    const receiver = isObject(each) ? each : {}
    const to = receiverOf(exchange, profile, requiredText(receiver, 'account_id'))
    if (!isRelated(profile, to))
      throw refusal('rejected', 'Internal transfer is not available between these accounts')
    const amount = tokenAmount(token, requiredText(receiver, 'amount'))
    return { to: seatOf(exchange, to.accountId).account.number, amount: positive(amount) }
  })
  return send(exchange, profile, { token, parts }, nowMs)
}

function byWallet(parts: MoneyParts, { profile }: Account, fields: Fields, nowMs: number) {
  const { exchange } = parts
  const moment = momentOf(parts, nowMs)
  const { message, nonce } = openConsent('InternalTransfer', fields, profile, moment)
  const collateral = collateralOf(requiredText(message, 'token'))
  const { accountId } = receiverOf(exchange, profile, requiredText(message, 'receiver'))
  const amount = positive(amountOfUnits(collateral, requiredText(message, 'amount')))
  const part = { to: seatOf(exchange, accountId).account.number, amount }
  return send(exchange, profile, { token: collateral.token, parts: [part], nonce }, nowMs)
}

function send(
  exchange: Exchange,
  { accountId }: Profile,
  request: { readonly token: string; readonly parts: readonly Part[]; readonly nonce?: number },
  nowMs: number,
) {
  const { engine, account } = seatOf(exchange, accountId)
  const outcome = engine.submit('transfer', { account: account.number, ...request }, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return { internal_transfer_request_id: outcome }
}

/** Who gets it. Throws 35 when nobody has the account, 37 when it is the sender, 46 when it is somebody's sub-account. */
function receiverOf({ accounts }: Exchange, from: Profile, accountId: string): Profile {
  const to = accounts.get(accountId.toLowerCase())?.profile
  if (!to) throw refusal('receiver')
  if (to.accountId === from.accountId) throw refusal('self')
  const isForeign = to.main !== undefined && to.main !== (from.main ?? from.accountId)
  if (isForeign) throw refusal('foreignSubAccount')
  return to
}

/** One wallet's accounts with every broker, main and sub; and the accounts of one broker. */
function isRelated(from: Profile, to: Profile): boolean {
  return from.address === to.address || from.brokerId === to.brokerId
}

function positive(amount: number | null): number {
  if (amount === null || amount <= 0) throw refusal('amount')
  return amount
}

/** The account's transfers that a query selects, the latest first. */
function transferHistory(
  { ledger, engine }: Seat,
  exchange: Exchange,
  { query, accountId }: VenueCall,
) {
  const side = requiredQuery(query, 'side')
  if (side !== 'IN' && side !== 'OUT') throw refusal('parameter', 'side must be IN or OUT')
  const isWithin = periodOf(query)
  const keyAt = (number: number) => engine.world.exchange.accounts[number]?.key ?? ''
  const chosen = ledger.transfers
    .filter(({ atMs }) => isWithin(atMs))
    .map((row) => ({ row, from: keyAt(row.account), to: keyAt(row.to) }))
    .filter(({ from, to }) => (side === 'IN' ? to : from) === accountId)
    .filter(({ row, from, to }) => isSelected(query, exchange, row, from, to))
    .reverse()
  const { meta, rows } = pageOf(chosen, query)
  return { meta, rows: rows.map(({ row, from, to }) => transferShape(row, from, to)) }
}

function isSelected(
  query: URLSearchParams,
  { accounts }: Exchange,
  { status }: TransferRow,
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
