// Slow: Valkey starts.
import { expect } from 'bun:test'
import { openValkey } from '../../../src/cluster/valkey/open.ts'
import { AWAY, openNotifier, WEBHOOK } from '../../operator/notify/fixture.ts'
import { testsNeeding } from '../../programs.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { placeOf, SILENT } from './fixture.ts'

const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
  'notices of several instances',
  ...VALKEY_PROGRAMS,
)

let valkey: RunningValkey
beforeAll(async () => {
  valkey = await startValkey()
})
afterAll(() => valkey.stop())
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await valkey.cli('flushall')
})

async function notifierOf(instance: string, url = valkey.url) {
  const opened = await openValkey(
    { ...placeOf(url), ...(url === valkey.url ? {} : { connectMaxMs: 20, waitMaxMs: 20 }) },
    {
      monotonicMs: () => performance.now(),
      clock: { nowMs: Date.now },
      random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
      ...{ log: SILENT, instance },
    },
  )
  ends.push(opened.close)
  return openNotifier(WEBHOOK, undefined, '1.0', opened.noticeLeases)
}

const sentBy = (notifiers: readonly Awaited<ReturnType<typeof notifierOf>>[]) =>
  notifiers.map(({ notices }) => notices().map(({ name, state }) => `${name} ${state}`))

describe('a condition that two instances see', () => {
  test('is sent by one of them, and its end by the same', async () => {
    const both = [await notifierOf('one:1'), await notifierOf('two:1')]
    for (const missing of [AWAY, null]) {
      for (const { world } of both) world.missing = missing
      for (const { pass } of both) await pass(60_000)
    }
    expect(sentBy(both)).toEqual([['venue_away begun', 'venue_away over'], []])
  })

  test('is not sent again by an instance that sees its end up to 20 seconds later', async () => {
    const [one, two] = [await notifierOf('one:1'), await notifierOf('two:1')]
    one.world.missing = AWAY
    two.world.missing = AWAY
    await one.pass(60_000)
    await two.pass(60_000)
    one.world.missing = null
    await one.pass(60_000)
    await two.pass(20_000)
    two.world.missing = null
    await two.pass(60_000)
    expect(sentBy([one, two])).toEqual([['venue_away begun', 'venue_away over'], []])
  })

  test('is sent by the other while that still sees it, once the lease of the first has lapsed', async () => {
    const [one, two] = [await notifierOf('one:1'), await notifierOf('two:1')]
    one.world.missing = AWAY
    two.world.missing = AWAY
    await one.pass(60_000)
    await two.pass(60_000)
    one.world.missing = null
    await one.pass(60_000)
    await valkey.cli('del', 'prepd:notice:venue_away')
    await two.pass(60_000)
    expect(sentBy([one, two])).toEqual([
      ['venue_away begun', 'venue_away over'],
      ['venue_away begun'],
    ])
  })

  test('is sent by both where it is of their machines, and where Valkey is away', async () => {
    const both = [await notifierOf('one:1'), await notifierOf('two:1')]
    for (const { meter, pass } of both) {
      meter.reading('prepd_data_free_bytes', () => 2 ** 29)
      await pass(60_000)
    }
    expect(sentBy(both)).toEqual([['disk_low begun'], ['disk_low begun']])
    const alone = [
      await notifierOf('one:1', 'redis://127.0.0.1:9'),
      await notifierOf('two:1', 'redis://127.0.0.1:9'),
    ]
    for (const { world, pass } of alone) {
      world.missing = AWAY
      await pass(60_000)
    }
    expect(sentBy(alone)).toEqual([['venue_away begun'], ['venue_away begun']])
  })
})
