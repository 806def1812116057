import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
let world: ToolWorld

beforeEach(async () => {
  world = await openEmbeddedWorld()
})
afterEach(() => world.stop())

const buy = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.5 }
const reduce = { ...buy, side: 'SELL', reduce_only: true }

test.each([
  ['nothing is open', null],
  ['the position is on the same side', 'SELL'],
])('a reduce-only order is known to be refused when %s', async (_, held) => {
  if (held) await world.call('place_order', { ...buy, side: held })
  const writes = await writesDuring(world, async () => {
    const preview = await world.call('preview_order', reduce)
    expect(preview).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'account_restricted',
          rule: 'reduce_only',
          hint: 'no position on the other side to reduce',
        },
      ],
      estimate: { fills_now: 0, value_usdc: 0 },
    })
    expect(preview).not.toHaveProperty('suggested')
    expect(preview.next).toContain('list_positions')
  })
  expect(writes).toEqual([])

  const { code, meta } = await world.refused('place_order', reduce)
  expect(code).toBe('account_restricted')
  expect(meta).toMatchObject({
    rule: 'reduce_only',
    hint: 'most likely no position on the other side to reduce',
  })
  expect(meta.client_order_id).toMatch(/^agent-/)
})

test('a reduce-only order fills no more than the position, and its preview says so', async () => {
  await world.call('place_order', buy)
  const { ok, estimate, account, suggested } = await world.call('preview_order', {
    ...reduce,
    order_quantity: 2,
  })
  expect(ok).toBe(true)
  expect(estimate).toMatchObject({
    fills_now: 0.5,
    unfilled: 1.5,
    note: 'Reduce-only: at most the position of 0.5 fills.',
  })
  expect(account.position_qty_after).toBe(0)
  expect(suggested).toMatchObject({ reduce_only: true, order_quantity: 2 })

  const { order_id } = await world.call('place_order', suggested)
  expect(await world.call('get_order', { order_id })).toMatchObject({
    total_executed_quantity: estimate.fills_now,
  })
  expect(await world.call('list_positions')).toMatchObject({ positions: [] })
})

test('what is suggested always says whether it only reduces', async () => {
  await world.call('place_order', buy)
  const within = await world.call('preview_order', reduce)
  expect(within.suggested.reduce_only).toBe(true)
  expect(within.estimate).not.toHaveProperty('note')
  const opening = await world.call('preview_order', buy)
  expect(opening.suggested.reduce_only).toBe(false)
  const unknown = await world.call('preview_order', reduce, { credentials: null })
  expect(unknown).toMatchObject({ ok: true, suggested: { reduce_only: true } })
})

test('a part of a position below the smallest value is refused by preview and order alike, before anything is sent', async () => {
  await world.call('place_order', buy)
  const part = { ...reduce, order_quantity: 0.001 }
  const preview = await world.call('preview_order', part)
  expect(preview).toMatchObject({ ok: false, problems: [{ rule: 'min_notional' }] })
  const writes = await writesDuring(world, async () => {
    const { code, meta } = await world.refused('place_order', part)
    expect(code).toBe('notional_too_small')
    expect(meta.smallest).toEqual(preview.smallest)
    for (const answer of [meta, preview]) expect(answer).not.toHaveProperty('suggested')
  })
  expect(writes).toEqual([])
  const { order_quantity } = preview.smallest
  const sent = await world.call('place_order', { ...part, order_quantity })
  expect(sent.filled_quantity).toBe(order_quantity)
})

test('a whole position below the smallest value closes, and a part of it does not', async () => {
  await world.call('place_order', { ...buy, order_quantity: 0.01 })
  await world.call('place_order', { ...reduce, order_quantity: 0.006 })
  const part = await world.call('preview_order', { ...reduce, order_quantity: 0.003 })
  expect(part).toMatchObject({ ok: false, smallest: { order_quantity: 0.004 } })
  expect(part).not.toHaveProperty('suggested')
  const whole = { ...reduce, order_quantity: 0.004 }
  expect(await world.call('preview_order', whole)).toMatchObject({ ok: true })
  expect(await world.call('place_order', whole)).toMatchObject({ unfilled_quantity: 0 })
  expect(await world.call('list_positions')).toMatchObject({ positions: [] })
})
