import type { Account } from '../engine/state.ts'
import type { Exchange } from './state.ts'

/** Who trades with an account: a wallet, lower-case, and the builder it came through. */
export type Owner = { readonly address: string; readonly brokerId: string }

/** The house's agents trade for this builder. */
export const AGENTS_BROKER = 'demo-x'

/** The owner of an account. Nobody's wallet holds an agent's: its address is the end of its id. */
export function ownerOf(
  { accounts }: Pick<Exchange, 'accounts'>,
  { key }: Pick<Account, 'key'>,
): Owner {
  const profile = accounts.get(key)?.profile
  return {
    address: profile?.address ?? `0x${key.slice(-40)}`,
    brokerId: profile?.brokerId ?? AGENTS_BROKER,
  }
}

/** Users and agents alike: every account but that of the insurance fund. */
export function tradersOf({ floor }: Pick<Exchange, 'floor'>): readonly Account[] {
  return floor().engine.world.exchange.accounts.filter(({ kind }) => kind !== 'fund')
}
