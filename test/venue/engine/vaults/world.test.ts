import { describe, expect, test } from 'bun:test'
import { openSqlite } from '../../../../src/store/sqlite.ts'
import { deposit, exposureOf, openAccount } from '../../../../src/venue/engine/accounts.ts'
import { checkExchange, hashOf } from '../../../../src/venue/engine/check.ts'
import { claim } from '../../../../src/venue/engine/liquidation/takeover.ts'
import { fillPosition } from '../../../../src/venue/engine/positions/fill.ts'
import { createVaultBooks } from '../../../../src/venue/engine/records/vaults.ts'
import { advance } from '../../../../src/venue/engine/run.ts'
import { MICRO } from '../../../../src/venue/engine/units.ts'
import { askVault } from '../../../../src/venue/engine/vaults/ask.ts'
import { checkVaults } from '../../../../src/venue/engine/vaults/check.ts'
import { enqueue } from '../../../../src/venue/engine/vaults/ledger.ts'
import { transfer } from '../../../../src/venue/engine/vaults/life.ts'
import { isPending, navOf, sampleOf } from '../../../../src/venue/engine/vaults/value.ts'
import type { World } from '../../../../src/venue/engine/world.ts'
import { foundVaults, openEngine, pastOf } from '../../at-once.ts'
import { GENESIS_MS, restarted, smallWorld } from '../worlds.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FREE = { taker: 0, maker: 0 }

function broken(world: World): string[] {
  return [...checkExchange(world.exchange), ...checkVaults(world)]
}

function firstVault({ vaults }: World) {
  const [vault] = vaults
  if (!vault) throw new Error('no vault')
  return vault
}

describe('vaults in a world', () => {
  test('trade, share and keep every invariant, hour by hour and across a restart', () => {
    let world = smallWorld(6)
    expect(broken(world)).toEqual([])
    for (let hour = 1; hour <= 50; hour++) {
      advance(world, GENESIS_MS + hour * HOUR_MS)
      expect(broken(world)).toEqual([])
      if (hour === 30) world = restarted(world)
    }
    for (const { account, ledger } of world.vaults) {
      expect(account.volume).toBeGreaterThan(0)
      expect(account.days.at(-1)?.volume).toBeGreaterThan(0)
      expect(ledger.sequence).toBeGreaterThan(50)
    }
  })

  test('begin with what their past left them: the last sample before is the first since', () => {
    const world = smallWorld(7)
    for (const vault of world.vaults) {
      const { books, nav } = pastOf(7, vault.terms, GENESIS_MS)
      expect(navOf(vault)).toBe(nav)
      expect(books.hours.at(-1)).toEqual(sampleOf(vault, GENESIS_MS))
      expect(books.periods).toHaveLength(vault.terms.past.days)
      expect(books).toEqual(pastOf(7, vault.terms, GENESIS_MS).books)
    }
    const vault = firstVault(world)
    expect(pastOf(8, vault.terms, GENESIS_MS).nav).not.toBe(navOf(vault))
  })

  test('settle their results when a period ends, at no change of their value', () => {
    const world = smallWorld(8)
    const vault = firstVault(world)
    const values: number[] = []
    world.exchange.observers.push({
      periodEnded: ({ account }, { deposits, payouts }) => {
        if (account !== vault.account) return
        const moved = [...deposits.map(({ amount }) => -amount), ...payouts.map((p) => p.amount)]
        values.push(navOf(vault) + moved.reduce((sum, amount) => sum + amount, 0))
        for (const { pnl, quantity, cost, market } of vault.account.used)
          expect([pnl, cost]).toEqual([0, quantity * market.mark * market.spec.unit])
      },
    })
    advance(world, GENESIS_MS + DAY_MS - 1)
    const before = navOf(vault)
    advance(world, GENESIS_MS + DAY_MS)
    expect(values).toHaveLength(1)
    expect(Math.abs((values[0] ?? 0) - before) / before).toBeLessThan(0.001)
  })

  test('take over where they quote, and nowhere else; their quotes give it back', () => {
    const world = smallWorld(9)
    const { exchange, fund, queue } = world
    const vault = firstVault(world)
    const books = createVaultBooks()
    exchange.observers.push(books.observer)
    const held = (base: string) => {
      const scene = world.scenes.find(({ listed }) => listed.base === base)
      if (!scene) throw new Error(base)
      const { market } = scene
      const quantity = Math.round(300_000_000_000 / (market.mark * market.spec.unit))
      const fill = { price: market.mark, fee: 0, atMs: world.nowMs }
      const whale = exchange.accounts.find(
        ({ kind, holding }) => kind === 'agent' && holding > 2e12,
      )
      if (!whale) throw new Error('nobody rich')
      fillPosition(exchange, exposureOf(fund, market), { ...fill, quantity })
      fillPosition(exchange, exposureOf(whale, market), { ...fill, quantity: -quantity })
      return { scene, quantity }
    }
    const [btc, sui] = [held('BTC'), held('SUI')]
    const planned = () => queue.heap.filter(({ kind }) => kind === 'unwind').length
    expect(claim(world, btc.scene, world.nowMs)).toBe(0)
    expect(vault.account.exposures.get(btc.scene.market.number)?.quantity).toBe(btc.quantity)
    expect(planned()).toBe(0)
    expect(claim(world, sui.scene, world.nowMs)).toBe(0)
    expect(vault.account.exposures.get(sui.scene.market.number)?.quantity ?? 0).toBe(0)
    expect(planned()).toBe(1)
    const [row, ...others] = books.of(vault).takeovers
    expect(others).toEqual([])
    expect(row?.kind).toBe('claimed')
    expect(row?.parts[0]).toMatchObject({ quantity: btc.quantity, price: btc.scene.market.mark })
    expect(broken(world)).toEqual([])
    const position = vault.account.exposures.get(btc.scene.market.number)
    advance(world, GENESIS_MS + 12 * HOUR_MS)
    expect(Math.abs(position?.quantity ?? 0)).toBeLessThan(btc.quantity)
  })

  test('come to a world from before there were any, once', () => {
    const { entities } = openSqlite(':memory:', 0)
    const genesis = {
      seed: 3,
      genesisMs: GENESIS_MS,
      prices: { kind: 'seeded' },
      listed: smallWorld(3, ['BTC', 'ETH']).scenes.map(({ listed }) => listed),
    } as const
    const before = openEngine({ genesis: { ...genesis, populate: false }, entities })
    before.advance(GENESIS_MS + 90 * 60_000)
    before.save()
    expect(before.world.vaults).toEqual([])
    const engine = openEngine({ genesis, entities })
    expect(engine.world.vaults.map(({ joinedAtMs }) => joinedAtMs)).toEqual([
      before.world.nowMs,
      before.world.nowMs,
    ])
    expect(broken(engine.world)).toEqual([])
    const again = openEngine({ genesis, entities })
    expect(hashOf(again.world)).toBe(hashOf(engine.world))
    expect(again.world.vaults).toHaveLength(2)
  })

  test('that are worth nothing when a period ends give back what was brought to them', () => {
    const world = smallWorld(1, ['EOS'])
    const { exchange } = world
    const vault = firstVault(world)
    const user = openAccount(exchange, { key: 'somebody', leverage: 10, fees: FREE })
    deposit(exchange, user, 500 * MICRO)
    const asked = { nonce: null, chainId: '1', type: 'deposit', size: 400 * MICRO } as const
    askVault(world, vault, user, { ...asked, wallet: '0x1', broker: 'b' }, GENESIS_MS + 1)
    expect(user.holding).toBe(100 * MICRO)
    advance(world, GENESIS_MS + DAY_MS - 1)
    const investor = vault.investors.at(-1)
    if (!investor) throw new Error('no investor')
    const ofChain = { wallet: investor.wallet, role: 'lp', account: null, broker: null } as const
    enqueue(vault.ledger, { ...asked, ...ofChain }, world.nowMs)
    deposit(exchange, vault.escrow, asked.size)
    const [purse, { mainShares }, nav] = [investor.purse, { ...vault.ledger }, navOf(vault)]
    transfer(vault.account, user, nav)
    advance(world, GENESIS_MS + DAY_MS)
    expect([navOf(vault), user.holding]).toEqual([0, 500 * MICRO + nav])
    expect(investor.purse).toBeGreaterThanOrEqual(purse + asked.size)
    expect([vault.ledger.mainShares, vault.ledger.stakes.has('0x1')]).toEqual([mainShares, false])
    expect(vault.ledger.open.filter((each) => isPending(each, 'deposit'))).toEqual([])
    expect(broken(world)).toEqual([])
  })

  test('can stand in a world without a market of theirs', () => {
    const world = smallWorld(1, ['EOS'])
    advance(world, GENESIS_MS + 25 * HOUR_MS)
    expect(broken(world)).toEqual([])
    expect(world.vaults.map(({ account }) => account.volume)).toEqual([0, 0])
    // Their accounts are theirs: nobody founds them twice.
    expect(() => foundVaults(world)).toThrow(RangeError)
  })
})

describe('the books of vaults', () => {
  test('keep a month of hours, and are found again', () => {
    const world = smallWorld(1, ['EOS'])
    const books = createVaultBooks()
    const vault = firstVault(world)
    const sample = sampleOf(vault, GENESIS_MS)
    for (let hour = 1; hour <= 800; hour++)
      books.observer.valued?.(vault, { ...sample, atMs: GENESIS_MS + hour * HOUR_MS })
    expect(books.of(vault).hours).toHaveLength(31 * 24)
    expect(books.of(vault).hours.at(-1)?.atMs).toBe(GENESIS_MS + 800 * HOUR_MS)
    expect(books.of(vault).days).toHaveLength(33)
    const again = createVaultBooks()
    again.load(JSON.parse(JSON.stringify(books.save())))
    expect(again.of(vault)).toEqual(books.of(vault))
  })
})
