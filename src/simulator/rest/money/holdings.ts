import { keccakOfText } from '../../../core/crypto/keccak.ts'
import { addAccount, putAccount } from '../../accounts/accounts.ts'
import {
  type AccountProfile,
  nextVenueId,
  type Registration,
  type VenueState,
} from '../../exchange/state.ts'
import { tokenNumber } from '../../exchange/tokens.ts'
import { type TradingContext, tradingContext } from '../../exchange/trading-context.ts'
import type { AssetRow } from '../../history/account-rows.ts'
import { tokenBalance, USDC } from '../../ledger/balances.ts'
import { COLLATERALS } from '../../listing/chains.ts'
import { accountMargin } from '../../margin/margin.ts'
import { type Fields, parseFields, requiredText, textField } from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { matchesQuery, periodFilter, selectedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { wireUsdc } from '../../messages/values.ts'
import { frozenAmount } from '../../state/observer.ts'
import type { MarketAccount } from '../../state/state.ts'
import type { SignedTable } from '../signed/call.ts'

/**
 * The rows of GET /v1/client/holding: USDC, and the other tokens that the account has, or all tokens. Amounts in
 * pending withdrawals and transfers are frozen. They are not included in the holding.
 */
export function holdingRows(context: TradingContext, profile: AccountProfile, isAll: boolean) {
  const { number } = context.account
  const { moves } = context.engine.world.exchange
  // Updates the collateral that open orders reserve.
  accountMargin(context.account)
  return COLLATERALS.map(({ token }) => token).flatMap((token) => {
    const holding = tokenBalance(context.account, token)
    const frozen = frozenAmount(moves, number, token)
    if (!isAll && token !== USDC && holding === 0 && frozen === 0) return []
    return {
      updated_time: tokenUpdatedAtMs(context, profile, token),
      token,
      holding: tokenNumber(token, holding),
      frozen: tokenNumber(token, frozen),
      pending_short: 0,
      isolated_margin: isolatedTotal(context, token, ({ margin }) => margin),
      isolated_order_frozen: isolatedTotal(context, token, (marketAccount) => marketAccount.frozen),
    }
  })
}

/** A figure of isolated margin, summed over the account's markets; 0 for tokens other than USDC. */
function isolatedTotal(
  { account }: TradingContext,
  token: string,
  figureOf: (marketAccount: MarketAccount) => number,
) {
  if (token !== USDC) return 0
  return wireUsdc(account.used.reduce((total, marketAccount) => total + figureOf(marketAccount), 0))
}

/** The time of a token's last deposit, withdrawal or settlement, otherwise of the account's opening. */
function tokenUpdatedAtMs(
  { lists }: TradingContext,
  { createdAtMs }: AccountProfile,
  token: string,
): number {
  const isWanted = (facet: { readonly token: string }) => facet.token === token
  const [asset] = lists.assets().select({ isWanted }).rows(0, 1)
  const [transfer] = lists.transfers().select({ isWanted }).rows(0, 1)
  const [settlement] = token === USDC ? lists.settlements().select({}).rows(0, 1) : []
  return Math.max(
    createdAtMs,
    asset?.updatedAtMs ?? 0,
    transfer?.updatedAtMs ?? 0,
    settlement?.atMs ?? 0,
  )
}

/** GET /v1/asset/history: the deposits and withdrawals that a query selects, latest first. */
export function assetHistory(context: TradingContext, query: URLSearchParams) {
  const { seed } = context.engine.world
  const chosen = context.lists.assets().select({
    isWithin: periodFilter(query),
    isWanted: ({ token, side, status }) => matchesQuery(query, { token, side, status }),
  })
  return selectedPage(chosen, query, (row) => assetShape(row, seed))
}

/** A row of GET /v1/asset/history. Its transaction hash is made up from the seed. */
function assetShape(row: AssetRow, seed: number) {
  const { id, side, token, amount, fee, status, chainId, atMs, updatedAtMs } = row
  return {
    id: String(id),
    tx_id: keccakOfText(`transaction ${seed} ${id}`),
    side,
    token,
    amount: tokenNumber(token, amount),
    fee: tokenNumber(token, fee),
    trans_status: status,
    created_time: atMs,
    updated_time: updatedAtMs,
    chain_id: chainId,
  }
}

/** The sub-accounts of a main account and their holdings. Only the main account may call these endpoints. */
export const SUB_ACCOUNTS: SignedTable = {
  read: {
    'GET /v1/client/sub_account': ({ exchange, account }) => {
      const main = mainProfile(account)
      return {
        main_account_id: main.accountId,
        rows: subAccountProfiles(exchange, main).map(subAccountRow),
      }
    },
    'GET /v1/client/aggregate/holding': ({ exchange, account }) => {
      const main = mainProfile(account)
      return {
        rows: [main, ...subAccountProfiles(exchange, main)].flatMap((own) =>
          holdingRows(tradingContext(exchange, own.accountId), own, false).map((holding) => ({
            account_id: own.accountId,
            ...holding,
          })),
        ),
      }
    },
  },
  trading: {
    'POST /v1/client/add_sub_account': ({ exchange, account, body, nowMs }) => {
      const main = mainProfile(account)
      return subAccountRow(
        addSubAccount(exchange, main, body === '' ? {} : parseFields(body), nowMs),
      )
    },
    'POST /v1/client/update_sub_account': ({ exchange, account, body }) =>
      renameSubAccount(exchange, mainProfile(account), parseFields(body)),
  },
}

/** The profile of a main account. Throws -1012 for a sub-account. */
function mainProfile({ profile }: Registration): AccountProfile {
  if (profile.main !== undefined) throw refusal('rejected', 'Only the main account is allowed')
  return profile
}

/** The profiles of sub-accounts, in the order in which they were added. */
function subAccountProfiles(
  { accounts }: VenueState,
  { accountId }: AccountProfile,
): AccountProfile[] {
  return Array.from(accounts.values(), ({ profile }) => profile)
    .filter(({ main }) => main === accountId)
    .sort((a, b) => a.userId - b.userId)
}

function subAccountRow({ accountId, description }: AccountProfile) {
  return { sub_account_id: accountId, description: description ?? '' }
}

/**
 * Opens a sub-account of the same wallet and broker. The sub-account's id follows from the main account's id and a
 * number.
 */
function addSubAccount(
  exchange: VenueState,
  main: AccountProfile,
  fields: Fields,
  nowMs: number,
): AccountProfile {
  const max = EXCHANGE_LIMITS.subAccountsMax
  if (subAccountProfiles(exchange, main).length >= max)
    throw refusal('rejected', `No more than ${max} sub-accounts`)
  const description = parseDescription(fields)
  const userId = nextVenueId(exchange)
  const accountId = keccakOfText(`${main.accountId} ${userId}`)
  const { address, brokerId } = main
  const owner = { accountId, userId, address, brokerId, createdAtMs: nowMs }
  return addAccount(exchange, { ...owner, main: main.accountId, description }).profile
}

/** Renames a sub-account. Throws -1607 for an account that is not a sub-account of `main`. */
function renameSubAccount(exchange: VenueState, main: AccountProfile, fields: Fields): undefined {
  const id = requiredText(fields, 'sub_account_id').toLowerCase()
  const account = exchange.accounts.get(id)
  if (account?.profile.main !== main.accountId) throw refusal('noAccount')
  const profile = { ...account.profile, description: parseDescription(fields) }
  putAccount(exchange, { ...account, profile })
}

function parseDescription(fields: Fields): string {
  return textField(fields, 'description', EXCHANGE_LIMITS.descriptionMaxChars) ?? ''
}
