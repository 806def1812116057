import { expect, test } from 'bun:test'
import { HOUR_MS } from '../../../src/contract/durations.ts'
import { AWAY, openNotifier } from './fixture.ts'

/** How far a receiver lets the time of a signature be from its own. */
const TOLERANCE_MS = 300_000

/** A notifier whose receiver has the right clock, while the own is off by `world.offMs`, which the venue's answers show. */
function openStepped() {
  const notifier = openNotifier()
  const { world, meter, sent } = notifier
  let offMs = 0
  meter.reading('prepd_venue_clock_skew_seconds', () => -offMs / 1000)
  const taken = new Set<string>()
  world.answers = () => {
    const last = sent.at(-1)
    const signedMs = Number(last?.headers.get('webhook-timestamp')) * 1000
    if (Math.abs(signedMs - (world.nowMs - offMs)) > TOLERANCE_MS)
      return new Response('', { status: 401 })
    taken.add(last?.text ?? '')
    return new Response('ok')
  }
  return {
    ...notifier,
    step: (ms: number) => {
      offMs += ms
      world.nowMs += ms
    },
    taken: () =>
      [...taken].flatMap(
        (text): { name: string; state: string }[] => JSON.parse(text).data.notices,
      ),
  }
}

test.each([HOUR_MS, -HOUR_MS])(
  'a clock that steps by %i ms is notified within a minute to a receiver with the right one, and so is its end',
  async (ms) => {
    const { pass, step, taken } = openStepped()
    await pass(60_000)
    step(ms)
    await pass(60_000)
    expect(taken()).toMatchObject([{ name: 'clock_skew', state: 'begun' }])
    step(-ms)
    await pass(60_000)
    expect(taken()).toMatchObject([{ state: 'begun' }, { name: 'clock_skew', state: 'over' }])
  },
)

test.each([5_000, 20_000, 30_000])(
  'what began %i ms before the clock is set back by an hour is notified within a minute',
  async (before) => {
    const { world, pass, step, taken } = openStepped()
    await pass(60_000)
    world.missing = AWAY
    await pass(before)
    step(-HOUR_MS)
    await pass(60_000)
    expect(taken().map(({ name }) => name)).toContain('venue_away')
  },
)

test('a message that waits for another attempt goes out when the clock is set back', async () => {
  const { world, pass, taken } = openStepped()
  const take = world.answers
  world.answers = () => new Error('away')
  world.missing = AWAY
  await pass(60_000)
  world.answers = take
  world.nowMs -= 30 * 24 * HOUR_MS
  await pass(15_000)
  expect(taken().length).toBeGreaterThan(0)
})

test('a step of the clock does not count as time for which a condition has held', async () => {
  const { meter, pass, step, taken } = openStepped()
  meter.reading('prepd_backup_time_seconds', () => 0)
  await pass(60_000)
  for (const ms of [-HOUR_MS, HOUR_MS, HOUR_MS, -HOUR_MS]) {
    step(ms)
    await pass(60_000)
  }
  expect(taken().map(({ name }) => name)).not.toContain('backup_old')
  await pass(HOUR_MS)
  expect(taken().map(({ name }) => name)).toContain('backup_old')
})
