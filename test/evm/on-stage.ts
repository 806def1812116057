import { afterAll, afterEach, beforeAll } from 'bun:test'
import { openVoucherFixture, type VoucherFixture, type VoucherFixtureOptions } from './fixture.ts'
import { openStage, type Stage } from './stage.ts'

/** One stage for the tests of a file, and voucher services that close after each test. */
export function onStage() {
  let opened: Stage | undefined
  const fixtures: VoucherFixture[] = []

  function stage(): Stage {
    if (!opened) throw new Error('the stage is not open')
    return opened
  }

  function open(options?: VoucherFixtureOptions): VoucherFixture {
    const fixture = openVoucherFixture(stage(), options)
    fixtures.push(fixture)
    return fixture
  }

  beforeAll(async () => {
    opened = await openStage()
  })
  afterEach(() => {
    for (const fixture of fixtures.splice(0)) fixture.close()
    for (const endpoint of stage().endpoints) endpoint.meddle(null)
  })
  afterAll(async () => {
    await opened?.stop()
  })
  return { stage, open }
}
