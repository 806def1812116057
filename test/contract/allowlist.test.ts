import { describe, expect, test } from 'bun:test'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'

describe('the relay allowlist', () => {
  test('has 49 paths, each once, in families that stay together', () => {
    expect(RELAY_PATHS.length).toBe(49)
    expect(new Set(RELAY_PATHS.map(({ path }) => path)).size).toBe(49)
    const families = RELAY_PATHS.map(({ family }) => family)
    expect(families).toEqual(
      [...new Set(families)].flatMap((one) => families.filter((other) => other === one)),
    )
  })

  test('has as many paths in each family as the specification', () => {
    const count = (family: string) => RELAY_PATHS.filter((row) => row.family === family).length
    expect(
      Object.fromEntries(
        ['account', 'positions', 'orders', 'balance', 'volume', 'referral', 'notifications'].map(
          (family) => [family, count(family)],
        ),
      ),
    ).toEqual({
      account: 8,
      positions: 6,
      orders: 9,
      balance: 8,
      volume: 2,
      referral: 14,
      notifications: 2,
    })
  })

  test('has placeholders only as a last segment, and at least one method a path', () => {
    for (const { path, methods } of RELAY_PATHS) {
      expect(path).toMatch(/^\/v1\/[a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\/\{(?:id|symbol)\})?$/)
      expect(methods.length).toBeGreaterThan(0)
      expect(new Set(methods).size).toBe(methods.length)
    }
  })

  test('never lets a trading key revoke keys, create accounts or change the operator', () => {
    const paths = RELAY_PATHS.map(({ path }) => path).join(' ')
    expect(paths).not.toMatch(/orderly_key|register|admin|broker|delegate|sub_account/)
  })
})
