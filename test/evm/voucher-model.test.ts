import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openModel, type VoucherModel } from './voucher-model.ts'

/** How often the desk is led through a random life; a soak gives more. */
const RUNS = Number(process.env['PREPD_SOAK_RUNS'] ?? 20)
const STEPS_MAX = 40

let model: VoucherModel

beforeAll(async () => {
  model = await openModel()
})
afterAll(() => model.stop())

test(
  'whatever a minority says, one endpoint lacks, and the operator does in whatever order: no deposit is paid twice',
  async () => {
    await fc.assert(
      fc.asyncProperty(model.commands(STEPS_MAX), async (commands) => {
        const life = await model.begin()
        try {
          await fc.asyncModelRun(() => life, commands)
        } finally {
          life.real.close()
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
    // A run in which nothing was paid would have shown nothing.
    expect(model.redemptions()).toBeGreaterThan(0)
  },
  10_000 * RUNS,
)
