import type { EntityStore, Random } from '../../core/ports.ts'
import type { Exchange } from '../exchange/state.ts'
import { referralRows } from '../rows/referral.ts'
import { revenueRow } from '../rows/revenue.ts'
import type { VenueRow } from '../wire/row.ts'
import { type Affiliates, openAffiliates } from './affiliates.ts'
import { promote } from './program.ts'
import { syncShares } from './shares.ts'

/** The operator's side of the affiliate program that is not on the wire. */
export type AffiliateDesk = {
  /** Lets an account run the program for the accounts of its own broker, until the process ends. */
  readonly appoint: (accountId: string) => void
  /** Makes an account one of the first level, for good. */
  readonly promote: (accountId: string) => 'promoted' | 'already' | 'no_account'
}

type Parts = {
  readonly exchange: Exchange
  readonly entities: EntityStore
  readonly random: Random
}

/** Opens the program as the entities left it: its routes, and its desk. */
export function openAffiliateDesk({ exchange, entities, random }: Parts): {
  readonly rows: readonly VenueRow[]
  readonly desk: AffiliateDesk
  readonly affiliates: Affiliates
} {
  const stored = openAffiliates(entities)
  const affiliates: Affiliates = {
    ...stored,
    put(...entries) {
      stored.put(...entries)
      syncShares({ exchange, affiliates: stored })
    },
  }
  exchange.whenOpen(() => syncShares({ exchange, affiliates: stored }))
  const operators = new Set<string>()
  const isOperator = (accountId: string) => operators.has(accountId)
  return {
    affiliates,
    rows: [
      ...referralRows({ exchange, affiliates, random, isOperator }),
      revenueRow({ exchange, isOperator }),
    ],
    desk: {
      appoint: (accountId) => void operators.add(accountId.toLowerCase()),
      promote: (accountId) => promote(exchange, affiliates, accountId.toLowerCase()),
    },
  }
}
