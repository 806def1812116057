import { isAddress } from '../../../core/hex.ts'
import type { Account } from '../../engine/state.ts'
import { ownerOf, tradersOf } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import type { Merits } from '../../programs/merits.ts'
import { type Treasury, treasuryOf } from '../../programs/treasury.ts'
import { requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall } from '../../wire/row.ts'

export type StakingParts = { readonly exchange: Exchange; readonly merits: Merits }

/** A wallet's accounts, and everything that is staked. */
export type Holding = {
  readonly accounts: readonly Account[]
  readonly treasury: Treasury
  readonly nowMs: number
}

/** The wallet that is asked for: without accounts where it never came here. Throws -1005 on no address. */
export function holdingOf(
  { exchange, merits }: StakingParts,
  { query, nowMs }: VenueCall,
): Holding {
  return {
    accounts: accountsOf(exchange, addressOf(query)),
    treasury: treasuryOf(exchange, merits, nowMs),
    nowMs,
  }
}

/** The wallet of a query, lower-case. Throws -1005 on no address. */
export function addressOf(query: URLSearchParams): string {
  const address = requiredQuery(query, 'address').toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', 'address is invalid')
  return address
}

/** Every account of a wallet, at whichever builder. */
export function accountsOf(exchange: Exchange, address: string): readonly Account[] {
  return tradersOf(exchange).filter((account) => ownerOf(exchange, account).address === address)
}

/** What a wallet has staked. */
export function stakedBy({ accounts, treasury }: Pick<Holding, 'accounts' | 'treasury'>) {
  let [order, esOrder] = [0, 0]
  for (const account of accounts) {
    const stake = treasury.stakeOf(account)
    order += stake.order
    esOrder += stake.esOrder
  }
  return { order, esOrder }
}
