import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  availableOf,
  mainWorth,
  sharesAt,
  stakeOf,
  stakesOf,
  stakeWorth,
  strategySharesOf,
} from '../../../../src/venue/engine/vaults/value.ts'
import { openLedger, USDC } from './ledger-rig.ts'

type Vault = ReturnType<typeof openLedger>

/** What rounding leaves to everybody; less than a micro for each stake. */
function dustOf({ ledger, nav }: Vault): number {
  const shares = sharesAt(ledger, nav())
  const [provider, ...others] = stakesOf(ledger)
  const own = others.reduce((sum, stake) => sum + stakeWorth(shares, 'lp', stake), 0)
  return nav() - own - (provider ? stakeWorth(shares, 'provider', provider) : 0)
}

const steps = fc.oneof(
  fc.record({
    kind: fc.constant('ask' as const),
    who: fc.nat(4),
    isDeposit: fc.boolean(),
    size: fc.integer({ min: 1, max: 5_000_000_000_000 }),
    isAccount: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('win' as const), share: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ kind: fc.constant('end' as const), room: fc.integer({ min: 0, max: 1000 }) }),
)

describe('whatever happens to a vault', () => {
  test('shares are all somebody’s, stakes are its value to less than a micro each, and money is kept', () => {
    const property = fc.property(fc.array(steps, { maxLength: 60 }), (story) => {
      const vault = openLedger()
      vault.ask('provider', 'provider', 'deposit', 1000 * USDC)
      vault.end()
      let won = 0
      for (const step of story) {
        if (step.kind === 'ask') askAs(vault, step)
        else if (step.kind === 'win') {
          const amount = Math.floor((vault.nav() * step.share) / 1000)
          vault.win(amount)
          won += amount
        } else {
          const before = vault.price()
          const best = vault.ledger.highWater
          const { fee } = vault.end(Math.floor((vault.nav() * step.room) / 1000))
          if (before <= best) expect(fee.amount).toBe(0)
        }
        checkStakes(vault, won)
      }
    })
    fc.assert(property, { numRuns: 400 })
  })
})

type Asking = { who: number; isDeposit: boolean; size: number; isAccount: boolean }

function askAs(vault: Vault, { who, isDeposit, size, isAccount }: Asking): void {
  const role = who === 0 ? 'provider' : 'lp'
  const wallet = who === 0 ? 'provider' : `lp ${who}`
  if (isDeposit) {
    vault.ask(role, wallet, 'deposit', size, isAccount)
    return
  }
  const stake = stakeOf(vault.ledger, role, wallet)
  const free = stake ? availableOf(vault.ledger, role, stake, vault.nowMs()) : 0
  if (free > 0) vault.ask(role, wallet, 'withdrawal', 1 + (size % free), isAccount)
}

function checkStakes(vault: Vault, won: number): void {
  const { ledger } = vault
  const [provider, ...others] = stakesOf(ledger)
  expect(others.reduce((sum, { shares }) => sum + shares, 0)).toBe(ledger.mainShares)
  expect(ledger.lpShares + (provider?.shares ?? 0)).toBe(strategySharesOf(ledger))
  for (const { shares, basis } of stakesOf(ledger)) {
    expect(shares).toBeGreaterThanOrEqual(0)
    expect(basis).toBeGreaterThanOrEqual(0)
  }
  const dust = dustOf(vault)
  expect(dust).toBeGreaterThanOrEqual(0)
  expect(dust).toBeLessThanOrEqual(others.length + 2)
  const { paidIn, paidOut } = vault.paid()
  expect(vault.nav()).toBe(paidIn - paidOut + won)
  expect(mainWorth(sharesAt(ledger, vault.nav()), ledger.mainShares)).toBeLessThanOrEqual(
    vault.nav(),
  )
}
