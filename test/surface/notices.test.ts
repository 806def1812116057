import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type CommandName, commandPath } from '../../src/contract/venue/commands.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { newUser } from './wallets.ts'

const OPERATOR_KEY = 'operator-key-of-thirty-two-letters'

describe.each([...USUAL_KINDS])('what the embedded venue tells everybody, %s', (kind) => {
  let target: Target

  beforeAll(async () => {
    target = await openTarget(kind, { OPERATOR_KEY, LIMIT_ADMIN: 'off', VENUE_CLOCK: 'virtual' })
  })
  afterAll(() => target.stop())

  async function post(word: CommandName, body: object, key = OPERATOR_KEY, of = target) {
    const init = jsonPost(body)
    const headers = { ...Object(init.headers), authorization: `Bearer ${key}` }
    const response = await of.fetch(commandPath(word), { ...init, headers })
    return { status: response.status, body: Object(await response.json()) }
  }
  const read = async (id: string) =>
    Object(await (await target.fetch(`/api/prep/op/platform.${id}`)).json())

  test('an announcement is told at once on both reads, and gone when it is taken back', async () => {
    const before = [await read('announcements'), await read('announcementsV2')]
    const { status, body } = await post('announce', {
      message: 'PERP_XYZ_USDC is now listed.',
      link: 'https://example.com/listing',
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
    const announcement = announcementId
    expect((await post('retract', { announcement })).body).toEqual({ retracted: announcement })
    expect(await read('announcements')).toEqual(before[0])
    expect((await read('announcementsV2')).rows).toEqual(before[1].rows)
    expect((await post('retract', { announcement })).status).toBe(404)
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
    await post('retract', { announcement: announcementId })
  })

  test('a maintenance is told until it is over, and ends by the venue’s own clock', async () => {
    const up = await read('status')
    expect(up).toMatchObject({ status: 0, scheduled_maintenance: null })
    expect((await post('maintenance on', { message: 'Back soon' })).status).toBe(200)
    expect(await read('status')).toMatchObject({ status: 2, msg: 'Back soon' })
    expect((await post('maintenance off', {})).status).toBe(200)
    expect(await read('status')).toEqual(up)
    const { startMs, endMs } = (await post('maintenance on', { after: '1h', for: '30m' })).body
    expect(endMs - startMs).toBe(1_800_000)
    const window = { startTime: startMs, endTime: endMs }
    expect(await read('status')).toEqual({ ...up, scheduled_maintenance: window })
    await post('clock advance', { by: '61m' })
    expect(await read('status')).toMatchObject({ status: 2, scheduled_maintenance: window })
    await post('clock advance', { by: '30m' })
    expect(await read('status')).toEqual(up)
  })

  test.each<{ word: CommandName; body: object; parameter: string }>([
    { word: 'announce', body: {}, parameter: 'message' },
    { word: 'announce', body: { message: '' }, parameter: 'message' },
    { word: 'announce', body: { message: 'x'.repeat(501) }, parameter: 'message' },
    { word: 'announce', body: { message: 'x', link: 'javascript:alert(1)' }, parameter: 'link' },
    { word: 'announce', body: { message: 'x', type: 'listing' }, parameter: 'type' },
    { word: 'announce', body: { message: 'two\nlines' }, parameter: 'message' },
    { word: 'retract', body: { announcement: 'two' }, parameter: 'announcement' },
    { word: 'maintenance on', body: { for: '0s' }, parameter: 'for' },
    { word: 'maintenance off', body: { for: '1h' }, parameter: 'for' },
  ])('%p is refused by name, and nothing changes', async ({ word, body, parameter }) => {
    const before = [await read('announcements'), await read('status')]
    const refused = await post(word, body)
    expect([refused.status, refused.body.meta?.parameter]).toEqual([400, parameter])
    expect([await read('announcements'), await read('status')]).toEqual(before)
  })

  test('nobody else is heard', async () => {
    const before = await read('announcements')
    const status = await read('status')
    const calls = [
      ['announce', { message: 'x' }],
      ['retract', { announcement: 1 }],
      ['maintenance on', {}],
    ] as const
    for (const [word, body] of calls) expect((await post(word, body, 'a guess')).status).toBe(401)
    expect(await read('status')).toEqual(status)
    expect((await target.fetch(commandPath('announce'))).status).toBe(405)
    expect(await read('announcements')).toEqual(before)
  })

  test('what was announced and planned is in the audit, and writes go on in a maintenance of the venue', async () => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const user = await newUser(target)
    await post('maintenance on', { message: 'Only said' })
    const terms = {
      symbol: 'PERP_ETH_USDC',
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 0.1,
    }
    const call = { method: 'POST', path: '/v1/order', body: JSON.stringify(terms) } as const
    const placed = await target.fetch('/api/prep/relay', jsonPost(envelope(user, call)))
    expect(placed.status).toBe(200)
    await post('maintenance off', {})
    const { rows } = Object(
      await (await target.fetch('/api/admin/audit?rows=2', { headers })).json(),
    )
    expect(rows).toMatchObject([
      { act: 'venue/maintenance/off' },
      { act: 'venue/maintenance/on', fields: { message: 'Only said' } },
    ])
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
