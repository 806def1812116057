import type { Observer } from '../engine/observer.ts'
import type { Account } from '../engine/state.ts'
import type { World } from '../engine/world.ts'

/** Says in which accounts something happens other than orders and executions: `stir` is given the account's id. */
export function stirring(stir: (accountId: string) => void, world: () => World | null): Observer {
  const stirAll = (accounts: readonly (Account | undefined)[]) => {
    for (const account of accounts) if (account) stir(account.key)
  }
  return {
    algo: ({ exposure }) => stir(exposure.account.key),
    liquidated: ({ account, takeovers }) => stirAll([account, ...takeovers.map(({ to }) => to)]),
    funded: ({ charges }) => stirAll(charges.map(({ exposure }) => exposure.account)),
    deposited: ({ account }) => stir(account.key),
    moved: (move) => {
      const known = world()?.exchange.accounts ?? []
      stirAll([known[move.account], move.kind === 'transfer' ? known[move.to] : undefined])
    },
    settled: ({ account }) => stir(account.key),
  }
}
