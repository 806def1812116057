import type { EntityStore } from '../../core/ports.ts'
import { readEntities } from './entity-json.ts'
import { COUNTERS } from './journal.ts'
import { type Account, type Counters, emptyAccount, type Key, type Profile } from './state.ts'

type Loaded = {
  readonly accounts: Map<string, Account>
  readonly nonces: Map<string, number>
  readonly counters: Counters
}

/** Reads back everything that journals have committed; `initial` are the counters of an empty store. */
export function loadEntities(entities: EntityStore, initial: Counters): Loaded {
  const accounts = new Map<string, Account>()
  for (const profile of readEntities<Profile>(entities, 'account'))
    accounts.set(profile.accountId, emptyAccount(profile))
  for (const key of readEntities<Key>(entities, 'key'))
    accounts.get(key.accountId)?.keys.set(key.publicKey, key)
  const issued = readEntities<{ value: string; expiresAtMs: number }>(entities, 'nonce')
  issued.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
  const nonces = new Map(issued.map(({ value, expiresAtMs }) => [value, expiresAtMs]))
  const [counters = initial] = readEntities<Counters>(entities, COUNTERS)
  return { accounts, nonces, counters }
}
