import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/contract/durations.ts'
import { NOTIFY_LIMITS } from '../../../src/contract/operator/notify.ts'
import { noteStart } from '../../../src/operator/notify/starts.ts'
import { openNoticeFile } from '../../../src/store/entity-file.ts'
import { AWAY, openNotifier, START_MS, WEBHOOK } from './fixture.ts'

const HEARTBEAT = `heartbeat = "13:00"\n${WEBHOOK}`

describe('a heartbeat', () => {
  test('is sent each day at its time, and says what holds', async () => {
    const { world, pass, notices } = openNotifier(HEARTBEAT)
    await pass(HOUR_MS - MINUTE_MS)
    expect(notices()).toEqual([])
    await pass(2 * MINUTE_MS)
    expect(notices()).toMatchObject([
      {
        ...{ name: 'heartbeat', state: 'happened', level: 'warn', figure: 'All well.' },
        command: 'prepd --mode admin status',
        since: '2026-01-02T13:00:00.000Z',
      },
    ])
    world.nowMs += DAY_MS - 2 * MINUTE_MS
    world.missing = AWAY
    await pass(4 * MINUTE_MS)
    const [, ...next] = notices()
    expect(next.map(({ name }) => name).toSorted()).toEqual(['heartbeat', 'venue_away'])
    expect(next.find(({ name }) => name === 'heartbeat')?.['figure']).toBe('Now: venue_away.')
  })

  test('is sent once where the process starts again on that day, and late where it was down', async () => {
    const { world, pass, store, notices } = openNotifier(HEARTBEAT)
    await pass(2 * HOUR_MS)
    expect(notices()).toHaveLength(1)
    const again = openNotifier(HEARTBEAT, store)
    again.world.nowMs = world.nowMs
    await again.pass(HOUR_MS)
    expect(again.notices()).toEqual([])
    const later = openNotifier(HEARTBEAT, store)
    later.world.nowMs = world.nowMs + DAY_MS
    await later.pass(MINUTE_MS)
    expect(later.notices().map(({ name }) => name)).toEqual(['heartbeat'])
  })

  test('is sent after its time also by the second of two starts of which the first has sent nothing', async () => {
    const { world, pass, store, sent } = openNotifier(HEARTBEAT)
    await pass(HOUR_MS - MINUTE_MS)
    expect(sent).toEqual([])
    const next = openNotifier(HEARTBEAT, store, '1.0', null, world.nowMs + 2 * MINUTE_MS)
    await next.pass(MINUTE_MS)
    expect(next.notices().map(({ name }) => name)).toEqual(['heartbeat'])
  })

  test('is sent at its time once the clock was set back by days, and not twice after a small step', async () => {
    const { world, pass, notices } = openNotifier(HEARTBEAT)
    await pass(HOUR_MS + MINUTE_MS)
    expect(notices()).toHaveLength(1)
    world.nowMs -= 2 * MINUTE_MS
    await pass(HOUR_MS)
    expect(notices()).toHaveLength(1)
    world.nowMs -= 3 * DAY_MS
    await pass(DAY_MS)
    expect(notices()).toHaveLength(2)
  })

  test('is not sent where the file does not ask for it', async () => {
    const { pass, sent } = openNotifier()
    await pass(2 * HOUR_MS)
    expect(sent).toEqual([])
  })
})

describe('starts', () => {
  const { withinMs } = NOTIFY_LIMITS.crashLoop

  test('of which three within half an hour did not end with a stop are a crash loop, until it has passed', () => {
    const store = openNoticeFile(null)
    const troubles = [0, 1, 2, 3].map((minute) => {
      const atMs = START_MS + minute * MINUTE_MS
      return noteStart(store, atMs).trouble(atMs)
    })
    expect(troubles).toEqual([null, null, null, expect.stringContaining('3 starts within 30')])
    const fifthMs = START_MS + 4 * MINUTE_MS
    const fifth = noteStart(store, fifthMs)
    expect(fifth.trouble(fifthMs)).toContain('4 starts')
    expect(fifth.trouble(START_MS + withinMs + 2 * MINUTE_MS)).toBeNull()
  })

  test('that ended with a stop are none, nor are those of long ago', () => {
    const store = openNoticeFile(null)
    for (let minute = 0; minute < 5; minute += 1) {
      const start = noteStart(store, START_MS + minute * MINUTE_MS)
      start.stopped()
    }
    for (let count = 0; count < 5; count += 1) noteStart(store, START_MS + count * withinMs)
    const atMs = START_MS + 5 * withinMs
    expect(noteStart(store, atMs).trouble(atMs)).toBeNull()
    expect([...store.load('start')]).toHaveLength(1)
  })
})

test('a message that an earlier version left is sent, without what it does not have', async () => {
  const store = openNoticeFile(null)
  const old = openNotifier(WEBHOOK, store)
  old.world.missing = AWAY
  old.world.answers = () => new Error('refused')
  await old.pass(MINUTE_MS)
  const [row] = [...store.load('message')]
  const { message, ...rest } = JSON.parse(row?.json ?? '')
  const { instance: _, host: __, ...plain } = message
  const notices = message.notices.map(
    ({ figure: ___, command: ____, ...notice }: Record<string, unknown>) => notice,
  )
  const json = JSON.stringify({ ...rest, message: { ...plain, notices } })
  store.commit([{ kind: 'message', key: row?.key ?? '', json }])
  const next = openNotifier(WEBHOOK, store)
  next.world.nowMs = old.world.nowMs
  next.world.missing = AWAY
  await next.pass(10 * MINUTE_MS)
  expect(next.notices()).toMatchObject([{ name: 'venue_away', figure: '', command: '' }])
})

test('a message for people says where it is from, when, and the next command', async () => {
  const { world, pass, sent } = openNotifier(
    '[[targets]]\nkind = "ntfy"\nurl = "https://ntfy.example/topic"\n',
  )
  world.missing = AWAY
  await pass(MINUTE_MS)
  const [first, last] = (sent[0]?.text ?? '').split('\n')
  expect(first).toContain(`Missing: ${AWAY}. Since 2026-01-02T12:00:05.000Z.`)
  expect(first).toEndWith('Next: prepd --mode admin doctor')
  expect(last).toMatch(/^host:8080 on host, 2026-01-02T12:00:\d\d\.000Z$/)
  world.missing = null
  await pass(MINUTE_MS)
  expect(sent[1]?.text).toMatch(/It began 2026-01-02T12:00:05\.000Z and ended 2026-01-02T12:0/)
})
