import type { EntityStore } from '../../core/ports.ts'
import { encodeEntity, readEntities } from '../exchange/journal.ts'
import { larger } from '../units.ts'

/** What the affiliate program knows of an account. Rates have eight decimals. */
export type Affiliate = {
  readonly accountId: string
  /** Of the first level: the operator promoted it, and may give it a code and a rate. */
  readonly promoted: boolean
  readonly code: string | null
  /** What it may share out, of which `refereeRate` goes to whoever joins with its code. */
  readonly maxRate: bigint
  readonly refereeRate: bigint
  /** What its referrer gives to it alone; not there when it gets what everybody gets. */
  readonly givenRate?: bigint
  /** Whose code it joined with, and when. Permanent. */
  readonly joined: { readonly accountId: string; readonly atMs: number } | null
}

/** Who is in the program and who brought whom. What is put is stored before it is seen. */
export type Affiliates = {
  /** The account's entry; an account nobody has heard of has an empty one. */
  readonly of: (accountId: string) => Affiliate
  readonly byCode: (code: string) => Affiliate | null
  /** Who joined with the account's code, in the order of joining. */
  readonly refereesOf: (accountId: string) => readonly Affiliate[]
  /** Everybody who has a code. */
  readonly withCode: () => readonly Affiliate[]
  /** Stores entries, all or none. */
  readonly put: (...entries: readonly Affiliate[]) => void
}

/** The program as the entities left it. */
export function openAffiliates(entities: EntityStore): Affiliates {
  const entries = new Map<string, Affiliate>()
  const codes = new Map<string, string>()
  const referees = new Map<string, Set<string>>()
  const of = (accountId: string) => entries.get(accountId) ?? newcomer(accountId)

  function index(entry: Affiliate): void {
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

/** What an account that joined gets back of its fees: never more than its referrer may share out. */
export function refereeRateOf(
  referrer: Pick<Affiliate, 'maxRate' | 'refereeRate'>,
  { givenRate }: Pick<Affiliate, 'givenRate'>,
): bigint {
  const rate = givenRate ?? referrer.refereeRate
  return rate - larger(0n, rate - referrer.maxRate)
}

const KIND = 'affiliate'

function newcomer(accountId: string): Affiliate {
  return {
    accountId,
    promoted: false,
    code: null,
    maxRate: 0n,
    refereeRate: 0n,
    joined: null,
  }
}

/** Everything stored, in the order of joining. */
function loaded(entities: EntityStore): Affiliate[] {
  const entries = readEntities<Affiliate>(entities, KIND)
  return entries.sort((a, b) => (a.joined?.atMs ?? 0) - (b.joined?.atMs ?? 0))
}
