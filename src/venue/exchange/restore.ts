import type { EntityStore } from '../../core/ports.ts'
import type { FormerProfile } from './former.ts'
import { COUNTERS, type EntityKind } from './journal.ts'
import {
  type Account,
  type Counters,
  emptyAccount,
  type Key,
  type Profile,
  type Transfer,
} from './state.ts'
import { readEntities } from './stored.ts'

export type Loaded = {
  readonly accounts: Map<string, Account>
  readonly nonces: Map<string, number>
  readonly counters: Counters
  /** Profiles of accounts that were stored before the engine held their balance. */
  readonly former: readonly FormerProfile[]
}

/** Reads back everything that journals have committed; `initial` are the counters of an empty store. */
export function loadEntities(entities: EntityStore, initial: Counters): Loaded {
  const accounts = new Map<string, Account>()
  const former: FormerProfile[] = []
  for (const stored of readEntities<Profile | FormerProfile>(entities, 'account')) {
    const { accountId, userId, address, brokerId, createdAtMs, main, description } = stored
    const part = main === undefined ? {} : { main, description: description ?? '' }
    const profile = { accountId, userId, address, brokerId, createdAtMs, ...part }
    accounts.set(accountId, emptyAccount(profile))
    if ('holding' in stored) former.push(stored)
  }

  function each<T extends { accountId: string }>(kind: EntityKind, add: Adder<T>): void {
    for (const entity of readEntities<T>(entities, kind)) {
      const account = accounts.get(entity.accountId)
      if (account) add(account, entity)
    }
  }
  each<Key>('key', ({ keys }, key) => keys.set(key.publicKey, key))
  each<Transfer>('transfer', ({ transfers }, transfer) => transfers.push(transfer))
  for (const { transfers } of accounts.values()) transfers.sort((a, b) => a.id - b.id)

  const issued = readEntities<{ value: string; expiresAtMs: number }>(entities, 'nonce')
  issued.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
  const nonces = new Map(issued.map(({ value, expiresAtMs }) => [value, expiresAtMs]))
  const [counters = initial] = readEntities<Counters>(entities, COUNTERS)
  return { accounts, nonces, counters, former }
}

type Adder<T> = (account: Account, entity: T) => unknown
