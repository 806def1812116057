import { expect, test } from 'bun:test'
import { crashFields } from '../../../src/core/log.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { createCallers } from '../../../src/http/server/callers.ts'
import { createFronts } from '../../../src/http/server/front.ts'
import { listen } from '../../../src/http/server/server.ts'

const BUG = new TypeError('quotes a secret')

test.each([
  [
    'thrown',
    () => {
      throw BUG
    },
  ],
  ['rejected', () => Promise.reject(BUG)],
])('a bug that the router has %s is told once, and its caller hears `internal`', async (_, app) => {
  const reported: unknown[] = []
  const answered: unknown[] = []
  const { front } = createFronts({
    app,
    hot: new Map(),
    callers: createCallers(),
    trusted: [],
    onIgnored: () => undefined,
    origins: '*',
    meter: createMeter(() => 0),
    onAnswer: (_, response) => answered.push(response?.status),
    requestId: () => 'id',
    access: { note: () => undefined },
    onCrash: (error) => reported.push(error),
    marks: {},
    venueNowMs: null,
  })
  const response = await front(new Request('http://localhost/x'), '127.0.0.1')
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'internal' })
  expect(reported).toEqual([BUG])
  expect(answered).toEqual([500])
})

test('a bug in a listener’s own front is told, and its caller hears nothing of it', async () => {
  const crashes: unknown[] = []
  const listener = listen(
    { hostname: '127.0.0.1', port: 0 },
    () => {
      throw BUG
    },
    { onCrash: (error) => crashes.push(error) },
  )
  const response = await fetch(listener.url)
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('')
  expect(crashes).toEqual([BUG])
  await listener.stop()
})

test('a log hears of its name and place, not of its words', () => {
  const fields = crashFields(BUG)
  expect(fields['error']).toBe('TypeError')
  expect(JSON.stringify(fields)).not.toContain('secret')
})
