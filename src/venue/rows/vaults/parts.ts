import type { Exchange } from '../../exchange/state.ts'
import type { Histories } from './history.ts'

/** What the rows of vaults are made of. */
export type VaultParts = Pick<Exchange, 'floor' | 'accounts'> & { readonly histories: Histories }
