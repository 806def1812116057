import { expect, test } from 'bun:test'
import {
  type Maintenance,
  noticeRows,
  openNotices,
} from '../../../../src/simulator/rest/public/announcements.ts'
import { createRouter } from '../../../../src/simulator/server/router.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'

const MADE_MS = 1_750_000_000_000
const PLAIN: { url: string | null; type: string } = { url: null, type: 'NOTICE' }

/** Announcements on a store that can be opened again. */
function openVenueFixture() {
  const entities = openVenueFile(':memory:')
  let nowMs = MADE_MS
  let notices = openNotices(entities, MADE_MS, () => undefined)
  return {
    announce: (fields: Partial<typeof PLAIN> & { message: string }) =>
      notices.admin.announce({ ...PLAIN, ...fields }, nowMs),
    retract: (id: number) => notices.admin.retract(id, nowMs),
    maintain: (maintenance: Maintenance | null) => notices.admin.maintain(maintenance),
    sleep: (ms: number) => {
      nowMs += ms
    },
    restart: () => {
      notices = openNotices(entities, MADE_MS, () => undefined)
    },
    read: (path: string, peer?: string) => {
      const found = createRouter(noticeRows({ notices }))('GET', path)
      const call = {
        params: {},
        query: new URLSearchParams(),
        body: '',
        accountId: '',
        nowMs,
        peer,
      }
      return JSON.parse(JSON.stringify(found?.row.answer(call)))
    },
  }
}

test('a venue says what it is, and what its operator announces, newest first, on both paths', () => {
  const { announce, read, sleep, restart } = openVenueFixture()
  const [seeded] = read('/v1/public/announcement').rows
  expect(seeded).toMatchObject({ announcement_id: 1, url: '' })
  sleep(1000)
  const id = announce({ message: 'Hello', url: 'https://example.com/', type: 'LISTING' })
  expect(id).toBe(2)
  const expected = { announcement_id: 2, message: 'Hello', url: 'https://example.com/' }
  expect(read('/v1/public/announcement').rows).toEqual([expected, seeded])
  expect(read('/v2/public/announcement')).toMatchObject({
    last_updated_time: MADE_MS + 1000,
    rows: [{ announcement_id: '2', type: 'LISTING', updated_time: MADE_MS + 1000 }, { url: null }],
  })
  restart()
  expect(read('/v1/public/announcement').rows).toEqual([expected, seeded])
})

test('what is taken back is told no more, and its number is not given again', () => {
  const { announce, retract, read, restart } = openVenueFixture()
  announce({ message: 'Hello' })
  expect(retract(2)).toBe(true)
  expect(retract(2)).toBe(false)
  expect(retract(3)).toBe(false)
  restart()
  expect(read('/v1/public/announcement').rows).toHaveLength(1)
  expect(announce({ message: 'Again' })).toBe(3)
  expect(retract(1)).toBe(true)
  expect(read('/v2/public/announcement').rows).toMatchObject([{ message: 'Again' }])
})

test('a maintenance is planned, is under way in its time, and is over after it', () => {
  const { maintain, read, sleep, restart } = openVenueFixture()
  const up = { status: 0, msg: 'System is functioning properly.', scheduled_maintenance: null }
  expect(read('/v1/public/system_info')).toEqual(up)
  maintain({ message: 'Back soon', startMs: MADE_MS + 1000, endMs: MADE_MS + 2000 })
  const scheduled_maintenance = { startTime: MADE_MS + 1000, endTime: MADE_MS + 2000 }
  expect(read('/v1/public/system_info')).toEqual({ ...up, scheduled_maintenance })
  sleep(1000)
  restart()
  expect(read('/v1/public/system_info')).toEqual({
    status: 2,
    msg: 'Back soon',
    scheduled_maintenance,
  })
  sleep(1000)
  expect(read('/v1/public/system_info')).toEqual(up)
  maintain({ message: 'Gone', startMs: MADE_MS, endMs: null })
  expect(read('/v1/public/system_info')).toMatchObject({ status: 2, scheduled_maintenance: null })
  maintain(null)
  expect(read('/v1/public/system_info')).toEqual(up)
})

test('a caller on the wire is told its own address', () => {
  const { read } = openVenueFixture()
  const unknown = { city: '', checked: false, region: '' }
  expect(read('/v1/ip_info', '203.0.113.9')).toEqual({ ...unknown, ip: '203.0.113.9' })
  expect(read('/v1/ip_info')).toEqual({ ...unknown, ip: '127.0.0.1' })
})

test('what is announced is passed on once, and a restart passes nothing on', () => {
  const entities = openVenueFile(':memory:')
  const passed: unknown[] = []
  const open = () => openNotices(entities, MADE_MS, (each) => passed.push(each))
  open().admin.announce({ message: 'Hello', ...PLAIN }, MADE_MS)
  const expected = [{ id: 2, message: 'Hello', ...PLAIN, updatedAtMs: MADE_MS }]
  expect(passed).toEqual(expected)
  open().admin.retract(2, MADE_MS)
  expect(passed).toEqual(expected)
})
