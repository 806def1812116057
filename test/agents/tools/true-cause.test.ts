import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bought, ETH } from '../tasks/task.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const WALLET = '0x1111111111111111111111111111111111111111'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({ SWAP: 'embedded' })
})
afterAll(() => world.stop())

test('a margin mode that cannot change names what is open in the market', async () => {
  await bought(ETH, 500)(world)
  const { meta } = await world.refused('set_margin_mode', { symbol: ETH, margin_mode: 'ISOLATED' })
  expect(meta.open).toMatchObject({ positions: [{ margin_mode: 'CROSS' }], orders: 0 })
  expect(meta.next).toContain('Ask the user')
})

describe('a withdrawal is checked before a wallet signs it:', () => {
  const asked = { amount: 100, chain_id: 42_161, wallet: WALLET }
  test.each([
    ['an amount that the fee eats', { amount: 0.000001 }, 'amount_too_low'],
    ['more than is held', { amount: 1e9 }, 'amount_too_high'],
    ['a receiver that nobody is', { receiver: `0x${'0'.repeat(40)}` }, 'invalid_address'],
  ])('%s', async (_, change, code) => {
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused(
        'request_withdrawal',
        { ...asked, ...change },
        { clock: { nowMs: Date.now } },
      )
      expect(failure.code).toBe(code)
    })
    expect(writes).toEqual([])
  })
})

describe('the slippage of a swap depends on the pair, and says why:', () => {
  test.each([
    ['USDC', 'USDC', {}, 10, 'stable'],
    ['USDC', 'ETH', {}, 50, 'major'],
    ['USDC', 'ETH', { slippage_pct: 2 }, 200, 'asked'],
  ])('%s to %s %j', async (from_token, to_token, more, bps, word) => {
    const pair = { from_chain: 'Arbitrum', to_chain: 'Base', from_token, to_token, amount: '100' }
    const quote = await world.call('get_swap_quote', { ...pair, ...more })
    expect(quote.slippage_bps).toBe(bps)
    expect(quote.slippage_reason).toContain(word)
  })
})
