import { keccakOfText } from '../../../crypto/keccak.ts'
import { EXCHANGE_LIMITS, LEVERAGE } from '../../exchange/limits.ts'
import { seatOf } from '../../exchange/seat.ts'
import {
  type Account,
  type Exchange,
  emptyAccount,
  nextId,
  type Profile,
} from '../../exchange/state.ts'
import { type Fields, parseBody, requiredText, textField } from '../../wire/body.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueRow } from '../../wire/row.ts'
import { type AccountAnswer, privateRow } from '../private.ts'
import { holdingRows } from './holdings.ts'

/** Sub-accounts of a main account, and what all of them hold. Only the main account may ask. */
export function subAccountRows(exchange: Exchange): readonly VenueRow[] {
  const row = (method: 'GET' | 'POST', path: string, answer: AccountAnswer) =>
    privateRow(
      exchange,
      { method, path, scope: method === 'GET' ? 'read' : 'trading' },
      (account, call) => {
        if (account.profile.main !== undefined)
          throw refusal('rejected', 'Only the main account is allowed')
        return answer(account, call)
      },
    )
  return [
    row('GET', '/v1/client/sub_account', ({ profile }) => ({
      main_account_id: profile.accountId,
      rows: subAccountsOf(exchange, profile).map(shapeOf),
    })),
    row('POST', '/v1/client/add_sub_account', ({ profile }, { body, nowMs }) =>
      shapeOf(add(exchange, profile, body === '' ? {} : parseBody(body), nowMs)),
    ),
    row('POST', '/v1/client/update_sub_account', ({ profile }, { body }) =>
      rename(exchange, profile, parseBody(body)),
    ),
    row('GET', '/v1/client/aggregate/holding', ({ profile }) => ({
      rows: [profile, ...subAccountsOf(exchange, profile)].flatMap((own) =>
        holdingRows(seatOf(exchange, own.accountId), own, false).map((holding) => ({
          account_id: own.accountId,
          ...holding,
        })),
      ),
    })),
  ]
}

/** In the order in which they were added. */
function subAccountsOf({ accounts }: Exchange, { accountId }: Profile): Profile[] {
  return Array.from(accounts.values(), ({ profile }) => profile)
    .filter(({ main }) => main === accountId)
    .sort((a, b) => a.userId - b.userId)
}

function shapeOf({ accountId, description }: Profile) {
  return { sub_account_id: accountId, description: description ?? '' }
}

/** Opens an account of the same wallet and broker. Its id can be told from the main one’s and its number. */
function add(exchange: Exchange, main: Profile, fields: Fields, nowMs: number): Profile {
  const max = EXCHANGE_LIMITS.subAccountsMax
  if (subAccountsOf(exchange, main).length >= max)
    throw refusal('rejected', `No more than ${max} sub-accounts`)
  const description = descriptionOf(fields)
  const userId = nextId(exchange)
  const accountId = keccakOfText(`${main.accountId} ${userId}`)
  const { address, brokerId } = main
  const owner = { accountId, userId, address, brokerId, createdAtMs: nowMs }
  const profile: Profile = { ...owner, main: main.accountId, description }
  const opening = { key: accountId, leverage: LEVERAGE.initial }
  exchange.floor().engine.submit('open', opening, nowMs)
  store(exchange, emptyAccount(profile))
  return profile
}

/** Throws -1607 when it is no sub-account of this one. */
function rename(exchange: Exchange, main: Profile, fields: Fields): undefined {
  const id = requiredText(fields, 'sub_account_id').toLowerCase()
  const account = exchange.accounts.get(id)
  if (account?.profile.main !== main.accountId) throw refusal('noAccount')
  store(exchange, {
    ...account,
    profile: { ...account.profile, description: descriptionOf(fields) },
  })
}

function store({ accounts, journal }: Exchange, account: Account): void {
  accounts.set(account.profile.accountId, account)
  journal.put('account', account.profile.accountId, account.profile)
}

function descriptionOf(fields: Fields): string {
  return textField(fields, 'description', EXCHANGE_LIMITS.descriptionMaxChars) ?? ''
}
