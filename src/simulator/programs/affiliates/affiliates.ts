import { larger } from '../../../core/decimals.ts'
import type { EntityStore } from '../../../core/ports.ts'
import { encodeEntity, readEntities } from '../../exchange/journal.ts'

/** An account's entry in the affiliate program. Rates have eight decimals. */
export type AffiliateEntry = {
  readonly accountId: string
  /** Whether the operator has promoted the account to the first level, so that it may get a code and a rate. */
  readonly promoted: boolean
  readonly code: string | null
  /**
   * The rate of fees that the account may share out. Of this rate, `refereeRate` goes to the accounts that join with
   * its code.
   */
  readonly maxRate: bigint
  readonly refereeRate: bigint
  /** A rate that the referrer has set only for this account; absent if the referrer's `refereeRate` applies. */
  readonly givenRate?: bigint
  /** The account whose code this account used to join, and the time of joining. Both never change. */
  readonly joined: { readonly accountId: string; readonly atMs: number } | null
}

/** The entries of the program. An entry is stored before it becomes visible. */
export type Affiliates = {
  /** The entry of an account. An unknown account has an empty entry. */
  readonly of: (accountId: string) => AffiliateEntry
  readonly byCode: (code: string) => AffiliateEntry | null
  /** The accounts that joined with an account's code, in the order in which they joined. */
  readonly refereesOf: (accountId: string) => readonly AffiliateEntry[]
  /** All entries that have a code. */
  readonly withCode: () => readonly AffiliateEntry[]
  /** Stores several entries, all or nothing. */
  readonly put: (...entries: readonly AffiliateEntry[]) => void
}

/** Opens the stored program. */
export function openAffiliates(entities: EntityStore): Affiliates {
  const entries = new Map<string, AffiliateEntry>()
  const codes = new Map<string, string>()
  const referees = new Map<string, Set<string>>()
  const of = (accountId: string) => entries.get(accountId) ?? newAffiliateEntry(accountId)

  function index(entry: AffiliateEntry): void {
    const { accountId, code, joined } = entry
    const before = of(accountId).code
    if (before !== null) codes.delete(before)
    if (code !== null) codes.set(code, accountId)
    if (joined) {
      const known = referees.get(joined.accountId)
      if (known) known.add(accountId)
      else referees.set(joined.accountId, new Set([accountId]))
    }
    entries.set(accountId, entry)
  }

  for (const entry of loaded(entities)) index(entry)
  return {
    of,
    byCode(code) {
      const accountId = codes.get(code)
      return accountId === undefined ? null : of(accountId)
    },
    refereesOf: (accountId) => Array.from(referees.get(accountId) ?? [], of),
    withCode: () => Array.from(codes.values(), of),
    put(...changed) {
      entities.commit(
        changed.map((entry) => ({ kind: KIND, key: entry.accountId, json: encodeEntity(entry) })),
      )
      for (const entry of changed) index(entry)
    },
  }
}

/** The rate of its fees that an account gets back. It is at most the referrer's `maxRate`. */
export function effectiveRefereeRate(
  referrer: Pick<AffiliateEntry, 'maxRate' | 'refereeRate'>,
  { givenRate }: Pick<AffiliateEntry, 'givenRate'>,
): bigint {
  const rate = givenRate ?? referrer.refereeRate
  return rate - larger(0n, rate - referrer.maxRate)
}

const KIND = 'affiliate'

function newAffiliateEntry(accountId: string): AffiliateEntry {
  return {
    accountId,
    promoted: false,
    code: null,
    maxRate: 0n,
    refereeRate: 0n,
    joined: null,
  }
}

/** All stored entries, in the order in which accounts joined. */
function loaded(entities: EntityStore): AffiliateEntry[] {
  const entries = readEntities<AffiliateEntry>(entities, KIND)
  return entries.sort((a, b) => (a.joined?.atMs ?? 0) - (b.joined?.atMs ?? 0))
}
