// Slow: executables before a PostgreSQL with a standby, a Valkey and two chains.
import { expect } from 'bun:test'
import { VOUCHER_REFUSALS } from '../../src/contract/voucher.ts'
import { configText } from '../evm/fixture.ts'
import { openStage } from '../evm/stage.ts'
import { testsNeeding } from '../programs.ts'
import { settingsFolder } from '../settings-folder.ts'
import { recordedAnswer, startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd } from '../surface/spawned.ts'
import { startInstances } from './instances.ts'
import { startReplicated } from './replicated.ts'
import { startValkey, VALKEY_PROGRAMS } from './valkey.ts'
import { askVoucher } from './voucher-caller.ts'

const { afterEach, test } = testsNeeding('vouchers after a failover', ...VALKEY_PROGRAMS)

const EACH = 25_000_000n
const BEFORE = 2
/** More than is asked for, so that no refusal is for the cap. */
const CAP = 10n * EACH

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function scene() {
  const [replicated, valkey, venue, stage] = await Promise.all([
    startReplicated('async'),
    startValkey(),
    startRecordedVenue(recordedAnswer),
    openStage(Math.floor(Date.now() / 1000) - 60),
  ])
  const folder = settingsFolder()
  ends.push(replicated.stop, valkey.stop, venue.stop, stage.stop, () => folder[Symbol.dispose]())
  const { primary, standby, urlOf } = replicated
  const settings = {
    VOUCHER: folder.write('voucher.toml', configText(stage, { cap: CAP, max: EACH })),
    VOUCHER_KEY: '07'.repeat(32),
  }
  const engines = { postgres: urlOf([primary.port, standby.port]), valkey: valkey.url }
  const named = { POSTGRES: engines.postgres, VALKEY: engines.valkey, VENUE: venue.url }
  const argv = ['--mode', 'admin', 'voucher', 'adopt']
  const adopted = await spawnPrepd({ argv, settings: { ...named, ...settings } }).ended()
  expect(adopted.code).toBe(0)
  const instances = await startInstances(2, { ...engines, venue: venue.url, settings })
  ends.push(...instances.map(({ stop }) => stop))
  return { ...replicated, stage, instances }
}

test('after a failover to a standby that lacks vouchers none is signed or given out', async () => {
  const { primary, standby, way, stage, instances } = await scene()
  const [first, second] = instances
  if (!first || !second) throw new Error('two instances are needed')
  const deposit = () => stage.deposit({ amount: EACH })
  const paid = [await deposit(), await deposit(), await deposit(), await deposit()]
  const later = [await deposit(), await deposit()]
  await stage.finalise()
  for (const [at, one] of paid.entries()) {
    if (at === BEFORE) way.cut()
    const { status } = await askVoucher(first, one)
    expect({ at, status }).toEqual({ at, status: 200 })
  }
  await primary.kill()
  await standby.ask('SELECT pg_promote()')
  for (const instance of instances) await instance.sees('postgres', 'back')

  for (const instance of [second, first])
    for (const one of [...later, ...paid]) {
      const { status, text } = await askVoucher(instance, one)
      expect({ status, ...JSON.parse(text) }).toEqual({ ...VOUCHER_REFUSALS.unavailable })
    }
})
