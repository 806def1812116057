import { describe, expect, test } from 'bun:test'
import { ONE } from '../../../../src/venue/engine/units.ts'
import { claim } from '../../../../src/venue/engine/vaults/ledger.ts'
import { availableOf, claimableOf, stakeOf } from '../../../../src/venue/engine/vaults/value.ts'
import type { Role } from '../../../../src/venue/engine/vaults/vault.ts'
import { openLedger, USDC } from './ledger-rig.ts'

describe('the ledger of a vault', () => {
  test('turns deposits into shares at the price of the period’s end, and not before', () => {
    const vault = openLedger()
    vault.ask('lp', 'a', 'deposit', 100 * USDC)
    expect(vault.ledger.mainShares).toBe(0)
    vault.end()
    expect(vault.worth('a')).toBe(100 * USDC)
    vault.win(-50 * USDC)
    vault.ask('lp', 'b', 'deposit', 100 * USDC)
    vault.end()
    expect(vault.ledger.stakes.get('b')?.shares).toBe(200 * USDC)
    expect([vault.worth('a'), vault.worth('b')]).toEqual([50 * USDC, 100 * USDC])
  })

  test('charges the provider’s part of what is won beyond the best price so far, once', () => {
    const vault = openLedger()
    vault.ask('provider', 'provider', 'deposit', 100 * USDC)
    vault.ask('lp', 'a', 'deposit', 100 * USDC)
    vault.end()
    vault.win(40 * USDC)
    const { fee } = vault.end()
    // A fifth of the twenty that are the liquidity provider's.
    expect(fee.amount).toBeCloseTo(4 * USDC, -1)
    expect(vault.worth('a')).toBeCloseTo(116 * USDC, -1)
    expect(vault.worth('provider', 'provider')).toBeCloseTo(124 * USDC, -1)
    expect(vault.ledger.stakes.get('a')?.fees).toBe(fee.amount)
    expect(vault.ledger.provider.fees).toBe(fee.amount)
    const best = vault.ledger.highWater
    vault.win(-30 * USDC)
    expect(vault.end().fee.amount).toBe(0)
    vault.win(30 * USDC)
    expect(vault.end().fee.amount).toBeLessThan(10)
    expect(vault.ledger.highWater).toBeGreaterThanOrEqual(best)
    expect(vault.ledger.highWater - best).toBeLessThan(10)
  })

  test('gives back a tenth of all shares a period, first come first served, and divides who is last', () => {
    const vault = openLedger()
    for (const wallet of ['a', 'b', 'c', 'd']) vault.ask('lp', wallet, 'deposit', 250 * USDC)
    vault.end()
    vault.ask('lp', 'a', 'withdrawal', 60 * USDC)
    vault.ask('lp', 'b', 'withdrawal', 70 * USDC)
    const { payouts } = vault.end()
    expect(payouts.map(({ wallet, amount }) => [wallet, amount])).toEqual([
      ['a', 60 * USDC],
      ['b', 40 * USDC],
    ])
    expect(vault.ledger.isGated).toBe(true)
    expect(claimableOf(vault.ledger, { role: 'lp', wallet: 'b' })).toBe(40 * USDC)
    expect(vault.end().payouts.map(({ amount }) => amount)).toEqual([30 * USDC])
    expect(vault.ledger.isGated).toBe(false)
    expect(vault.worth('b')).toBe(180 * USDC)
  })

  test('pays no more than can be taken out, and what is left waits', () => {
    const vault = openLedger()
    vault.ask('lp', 'a', 'deposit', 1000 * USDC)
    vault.end()
    vault.ask('lp', 'a', 'withdrawal', 50 * USDC)
    expect(vault.end(20 * USDC).period.withdrawn).toBe(20 * USDC)
    expect(vault.end(0).period.withdrawn).toBe(0)
    expect(vault.end().period.withdrawn).toBe(30 * USDC)
  })

  test('pays accounts at once, and lets wallets fetch theirs once', () => {
    const vault = openLedger()
    vault.ask('lp', 'a', 'deposit', 1000 * USDC)
    vault.ask('lp', 'b', 'deposit', 1000 * USDC)
    vault.end()
    vault.ask('lp', 'a', 'withdrawal', 10 * USDC)
    vault.ask('lp', 'b', 'withdrawal', 10 * USDC, true)
    const { finished } = vault.end()
    expect(finished.map(({ wallet, claimedAtMs }) => [wallet, claimedAtMs > 0])).toEqual([
      ['b', true],
    ])
    const owner = { role: 'lp', wallet: 'a' } as const
    expect(claim(vault.ledger, owner, vault.nowMs()).map(({ amount }) => amount)).toEqual([
      10 * USDC,
    ])
    expect(claim(vault.ledger, owner, vault.nowMs())).toEqual([])
  })

  test('binds shares that are locked, asked for, or the provider’s to keep', () => {
    const vault = openLedger()
    vault.ask('provider', 'provider', 'deposit', 100 * USDC)
    vault.ask('lp', 'a', 'deposit', 900 * USDC)
    vault.end()
    const free = (role: Role, wallet: string) => {
      const stake = stakeOf(vault.ledger, role, wallet)
      return stake ? availableOf(vault.ledger, role, stake, vault.nowMs()) : -1
    }
    expect(free('lp', 'a')).toBe(0)
    vault.end()
    vault.end()
    expect(free('lp', 'a')).toBe(900 * USDC)
    vault.ask('lp', 'a', 'withdrawal', 400 * USDC)
    expect(free('lp', 'a')).toBe(500 * USDC)
    expect(free('provider', 'provider')).toBe(50 * USDC)
  })

  test('gives a deposit back that finds it worth nothing, and its shares to nobody', () => {
    const vault = openLedger()
    vault.ask('lp', 'a', 'deposit', 100 * USDC)
    vault.end()
    vault.ask('lp', 'b', 'deposit', 70 * USDC)
    vault.win(-100 * USDC)
    const { deposits, returned, period, finished } = vault.end()
    expect({ deposits, deposited: period.deposited }).toEqual({ deposits: [], deposited: 0 })
    expect(returned).toMatchObject([{ wallet: 'b', amount: 70 * USDC, shares: 0 }])
    expect(finished).toEqual([...returned])
    expect([vault.nav(), vault.ledger.mainShares]).toEqual([0, 100 * USDC])
    expect(vault.ledger.stakes.has('b')).toBe(false)
    vault.win(5 * USDC)
    vault.ask('lp', 'b', 'deposit', 70 * USDC)
    expect(vault.end().returned).toEqual([])
    expect([vault.worth('a'), vault.worth('b')]).toEqual([5 * USDC, 70 * USDC])
  })

  test('starts anew at its price when everybody had left', () => {
    const vault = openLedger()
    vault.ask('lp', 'a', 'deposit', 100 * USDC)
    vault.end()
    vault.ask('lp', 'a', 'withdrawal', 100 * USDC)
    for (let day = 0; day < 10; day++) vault.end()
    expect(vault.ledger).toMatchObject({ mainShares: 0, lpShares: 0 })
    vault.ask('lp', 'b', 'deposit', 50 * USDC)
    vault.end()
    expect(vault.worth('b')).toBe(50 * USDC)
    expect(vault.ledger.highWater).toBe(ONE)
  })
})
