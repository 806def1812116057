import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../src/contract/durations.ts'
import { NOTIFY_LIMITS } from '../../../src/contract/operator/notify.ts'
import { reportFaultsTo } from '../../../src/core/loop/guarded.ts'
import { NOTICE_CONDITIONS } from '../../../src/operator/notify/conditions.ts'
import { AWAY, NTFY, openNotifier, WEBHOOK } from './fixture.ts'

describe('a message', () => {
  test('has all that begins within a quarter of a minute', async () => {
    const { world, meter, pass, sent, notices } = openNotifier()
    meter.reading('prepd_maintenance', () => 1)
    world.missing = AWAY
    await pass(60_000)
    expect(notices().map(({ name }) => name)).toEqual(['maintenance', 'venue_away'])
    expect(sent.length).toBeLessThanOrEqual(2)
  })

  test('is sent again after each wait, with its id and a new signature, until it is taken', async () => {
    const { world, pass, sent, lines } = openNotifier()
    world.answers = () => new Response('no', { status: 500 })
    world.missing = AWAY
    await pass(2 * 60_000)
    const failed = sent.length
    expect(failed).toBe(3)
    world.answers = () => new Response('ok')
    await pass(10 * 60_000)
    expect(sent.length).toBe(failed + 1)
    const header = (name: string) => new Set(sent.map(({ headers }) => headers.get(name)))
    expect(header('webhook-id').size).toBe(1)
    expect(header('webhook-signature').size).toBe(sent.length)
    expect(lines.map(([event]) => event)).toEqual([
      ...Array(failed).fill('notice_not_delivered'),
      'notice_delivered',
    ])
    expect(lines[0]?.[1]).toMatchObject({ fault: 'http_500', attempts: 1 })
  })

  test('that a target does not take holds up no other target', async () => {
    const { world, pass, sent } = openNotifier(WEBHOOK + NTFY)
    world.answers = (url) => (url.includes('hooks') ? new Error('refused') : new Response('ok'))
    world.missing = AWAY
    await pass(2 * 60_000)
    world.missing = null
    await pass(2 * 60_000)
    const taken = sent.filter(({ url }) => url.includes('ntfy'))
    expect(taken.map(({ headers }) => headers.get('priority'))).toEqual(['5', '3'])
    expect(taken[0]?.headers.get('authorization')).toBe('Bearer tk_1')
    expect(taken[0]?.headers.get('title')).toBe('prepd: The venue does not answer.')
    expect(taken[0]?.text).toContain(NOTICE_CONDITIONS.venue_away.action)
  })

  test('outlives the process: the next one sends it, and does not begin anew', async () => {
    const { world, pass, store, sent } = openNotifier()
    world.answers = () => new Error('refused')
    world.missing = AWAY
    await pass(2 * 60_000)
    const next = openNotifier(WEBHOOK, store)
    next.world.nowMs = world.nowMs
    next.world.missing = AWAY
    await next.pass(20 * 60_000)
    expect(next.notices().map(({ name, state }) => [name, state])).toEqual([
      ['venue_away', 'begun'],
    ])
    expect(next.sent[0]?.headers.get('webhook-id')).toBe(sent[0]?.headers.get('webhook-id') ?? '')
    next.world.missing = null
    await next.pass(60_000)
    expect(next.notices().at(-1)).toMatchObject({ name: 'venue_away', state: 'over' })
  })

  test('is given up after three days, and says so in the log', async () => {
    const { world, pass, lines } = openNotifier()
    world.answers = () => new Error('refused')
    world.missing = AWAY
    await pass(2 * 60_000)
    world.nowMs += 3 * DAY_MS
    await pass(NOTIFY_LIMITS.lookEveryMs)
    expect(lines.at(-1)).toMatchObject(['notice_given_up', { reason: 'too_old' }])
    const before = lines.length
    await pass(60_000)
    expect(lines.length).toBe(before)
  })

  test('goes out also where the store refuses', async () => {
    const { world, pass, notices, lines } = openNotifier()
    world.storeFails = true
    world.missing = 'store: SQLITE_FULL'
    await pass(2 * 60_000)
    expect(notices().map(({ name }) => name)).toEqual(['store_failing'])
    expect(lines.map(([event]) => event)).toContain('notices_not_kept')
  })

  test('waits for the end of quiet hours where nothing in it is urgent', async () => {
    const { world, meter, pass, sent } = openNotifier(`quiet = "11:00-13:00"\n${WEBHOOK}`)
    meter.reading('prepd_maintenance', () => 1)
    await pass(10 * 60_000)
    expect(sent).toEqual([])
    world.missing = AWAY
    await pass(2 * 60_000)
    expect(sent).toHaveLength(1)
    await pass(HOUR_MS)
    expect(sent).toHaveLength(2)
  })

  test('of another version is sent once, and of the first start none', async () => {
    const { pass, store, sent } = openNotifier()
    await pass(2 * 60_000)
    expect(sent).toEqual([])
    const next = openNotifier(WEBHOOK, store, '1.1')
    await next.pass(2 * 60_000)
    expect(next.notices()).toMatchObject([
      { name: 'version', title: 'prepd 1.1 has taken over from prepd 1.0.' },
    ])
    const again = openNotifier(WEBHOOK, store, '1.1')
    await again.pass(2 * 60_000)
    expect(again.sent).toEqual([])
  })

  test('leaves no secret and no address in the log', async () => {
    const { world, pass, lines } = openNotifier(WEBHOOK + NTFY)
    world.answers = () => new Error('https://hooks.example/a refused tk_1')
    world.missing = AWAY
    await pass(2 * 60_000)
    expect(JSON.stringify(lines)).not.toMatch(/example|tk_1|whsec|BwcH/)
  })
})

test('a lease that fails costs no notice of another condition, and is asked for again', async () => {
  const faults: unknown[] = []
  const restore = reportFaultsTo((_part, error) => void faults.push(error))
  let fails = true
  const take = async (name: string) => {
    if (name === 'books_away' && fails) throw new TypeError('no lease')
    return true
  }
  const { world, meter, pass, notices } = openNotifier(WEBHOOK, undefined, '1.0', { take })
  meter.reading('prepd_venue_books_away', () => 1)
  world.missing = AWAY
  await pass(2 * 60_000)
  expect(notices().map(({ name }) => name)).toEqual(['venue_away'])
  expect(faults.length).toBeGreaterThan(0)
  fails = false
  await pass(60_000)
  expect(notices().map(({ name }) => name)).toEqual(['venue_away', 'books_away'])
  restore()
})

describe('a lost instance', () => {
  const LOST = 'prepd_engine_instances_lost'

  test('stays lost for an observer that has started again, until it is back', async () => {
    const before = openNotifier()
    before.meter.reading('prepd_engine_up', () => 1, 'postgres')
    before.meter.reading(LOST, () => 1)
    await before.pass(60_000)
    const { world, meter, pass, notices } = openNotifier(WEBHOOK, before.store)
    let lost: number | null = null
    world.nowMs = before.world.nowMs
    meter.reading('prepd_engine_up', () => 1, 'postgres')
    meter.reading(LOST, () => lost)
    for (const each of [null, 1, null]) {
      lost = each
      await pass(5 * 60_000)
      expect(notices()).toEqual([])
    }
    lost = 0
    await pass(60_000)
    expect(notices()).toMatchObject([{ name: 'instance_lost', state: 'over' }])
  })

  test('is missed no more where there are no engines any more', async () => {
    const before = openNotifier()
    before.meter.reading('prepd_engine_up', () => 1, 'postgres')
    before.meter.reading(LOST, () => 1)
    await before.pass(60_000)
    const { world, pass, notices } = openNotifier(WEBHOOK, before.store)
    world.nowMs = before.world.nowMs
    await pass(60_000)
    expect(notices()).toMatchObject([{ name: 'instance_lost', state: 'over' }])
  })
})
