import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NOTICE_PATHS, type NoticeWord } from '../../src/spec/venue/notices.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { newUser } from './wallets.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'

describe.each([...TARGET_KINDS])('what the embedded venue tells everybody, %s', (kind) => {
  let target: Target

  beforeAll(async () => {
    target = await openTarget(kind, { OPERATOR_KEY, LIMIT_ADMIN: 'off', VENUE_CLOCK: 'virtual' })
  })
  afterAll(() => target.stop())

  async function post(word: NoticeWord, body: object, key = OPERATOR_KEY, of = target) {
    const init = jsonPost(body)
    const headers = { ...Object(init.headers), authorization: `Bearer ${key}` }
    const response = await of.fetch(NOTICE_PATHS[word], { ...init, headers })
    return { status: response.status, body: Object(await response.json()) }
  }
  const read = async (id: string) =>
    Object(await (await target.fetch(`/api/prep/op/platform.${id}`)).json())

  test('an announcement is told at once on both reads, and gone when it is taken back', async () => {
    const before = [await read('announcements'), await read('announcementsV2')]
    const { status, body } = await post('announce', {
      message: 'PERP_XYZ_USDC is now listed.',
      url: 'https://example.com/listing',
      type: 'LISTING',
    })
    expect(status).toBe(200)
    const { announcementId } = body
    const [first] = (await read('announcements')).rows
    expect(first).toEqual({
      announcement_id: announcementId,
      message: 'PERP_XYZ_USDC is now listed.',
      url: 'https://example.com/listing',
    })
    const [second] = (await read('announcementsV2')).rows
    expect(second).toMatchObject({ announcement_id: String(announcementId), type: 'LISTING' })
    expect((await post('retract', { announcementId })).body).toEqual({ retracted: true })
    expect(await read('announcements')).toEqual(before[0])
    expect((await read('announcementsV2')).rows).toEqual(before[1].rows)
    expect((await post('retract', { announcementId })).status).toBe(404)
  })

  test('an announcement is in the inbox of whoever has an account', async () => {
    const user = await newUser(target)
    const unread = async () => {
      const call = envelope(user, { method: 'GET', path: '/v1/notification/inbox/notifications' })
      return Object(await (await target.fetch('/api/prep/relay', jsonPost(call))).json()).rows
    }
    expect(await unread()).toEqual([])
    const { announcementId } = (await post('announce', { message: 'To everybody' })).body
    expect(await unread()).toMatchObject([
      { announcement_id: announcementId, content_summary: 'To everybody', type: 'SYSTEM' },
    ])
    await post('retract', { announcementId })
  })

  test('a maintenance is told until it is over, and ends by the venue’s own clock', async () => {
    const up = await read('status')
    expect(up).toMatchObject({ status: 0, scheduled_maintenance: null })
    expect((await post('maintenance', { state: 'on', message: 'Back soon' })).status).toBe(200)
    expect(await read('status')).toMatchObject({ status: 2, msg: 'Back soon' })
    expect((await post('maintenance', { state: 'off' })).status).toBe(200)
    expect(await read('status')).toEqual(up)
    const startMs = Date.UTC(2026, 5, 1)
    await post('maintenance', { state: 'on', startMs, endMs: startMs + 1000 })
    const window = { startTime: startMs, endTime: startMs + 1000 }
    expect(await read('status')).toEqual({ ...up, scheduled_maintenance: window })
    await post('maintenance', { state: 'off' })
  })

  test.each<{ word: NoticeWord; body: object; parameter: string }>([
    { word: 'announce', body: {}, parameter: 'message' },
    { word: 'announce', body: { message: '' }, parameter: 'message' },
    { word: 'announce', body: { message: 'x'.repeat(501) }, parameter: 'message' },
    { word: 'announce', body: { message: 'x', url: 'javascript:alert(1)' }, parameter: 'url' },
    { word: 'announce', body: { message: 'x', type: 'listing' }, parameter: 'type' },
    { word: 'retract', body: { announcementId: '2' }, parameter: 'announcementId' },
    { word: 'maintenance', body: { state: 'maybe' }, parameter: 'state' },
    { word: 'maintenance', body: { state: 'on', startMs: 2, endMs: 2 }, parameter: 'endMs' },
  ])('%p is refused by name, and nothing changes', async ({ word, body, parameter }) => {
    const before = [await read('announcements'), await read('status')]
    const refused = await post(word, body)
    expect([refused.status, refused.body.meta?.parameter]).toEqual([400, parameter])
    expect([await read('announcements'), await read('status')]).toEqual(before)
  })

  test('nobody else is heard', async () => {
    const before = await read('announcements')
    for (const word of ['announce', 'retract', 'maintenance'] as const)
      expect(
        (await post(word, { message: 'x', announcementId: 1, state: 'on' }, 'a guess')).status,
      ).toBe(401)
    expect((await target.fetch(NOTICE_PATHS.announce)).status).toBe(405)
    expect(await read('announcements')).toEqual(before)
  })

  test('without an operator key there is nothing there, nor on a live venue', async () => {
    const keyless = await openTarget(kind)
    const live = await openTarget(kind, { OPERATOR_KEY, VENUE: 'http://127.0.0.1:9' })
    for (const other of [keyless, live])
      expect((await post('announce', { message: 'x' }, OPERATOR_KEY, other)).status).toBe(404)
    await keyless.stop()
    await live.stop()
  })
})

test('a program on the venue’s own wire is told its own address', async () => {
  const target = await openTarget('compiled binary', { VENUE_LISTEN: '127.0.0.1:0' })
  const { venue } = await target.listening()
  const answer = Object(await (await fetch(`${venue}/v1/ip_info`)).json())
  await target.stop()
  expect(answer.data).toEqual({ city: '', ip: '127.0.0.1', checked: false, region: '' })
})
