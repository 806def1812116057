// Slow: many lives of a voucher issuer, each with restarts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { leadLives, openModel, type VoucherModel } from './voucher-model.ts'

/** How many random sequences of commands run; a soak runs more. */
const LIVES = 20

let model: VoucherModel

beforeAll(async () => {
  model = await openModel()
})
afterAll(() => model.stop())

test('whatever a minority says, one endpoint lacks, and the operator does in whatever order: no deposit is paid twice', async () => {
  await leadLives(model, LIVES)
  // Lives in which nothing was paid would have shown nothing.
  expect(model.redemptions()).toBeGreaterThan(0)
})
