import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { envelope, jsonPost, newCaller, type TestCall } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import vectors from '../vectors/allowlist.json' with { type: 'json' }

const caller = newCaller()
const GET = { method: 'GET', path: '/v1/positions' } as const

describe.each([...TARGET_KINDS])('the allowlist, %s', (kind) => {
  let upstream: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target
  let sentBefore = 0

  beforeAll(async () => {
    upstream = await startRecordingUpstream()
    target = await openTarget(kind, { VENUE: upstream.url })
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })
  beforeEach(() => {
    sentBefore = upstream.requests.length
  })

  const sent = () => upstream.requests.slice(sentBefore)
  const post = (body: unknown) => target.fetch('/api/prep/relay', jsonPost(body))
  const relay = (call: TestCall) => post(envelope(caller, call))

  test(`every one of ${vectors.refused.length} near misses of the allowlist is refused, and nothing is sent`, async () => {
    const wrong: unknown[] = []
    for (const { method, path, why } of vectors.refused) {
      const body = JSON.stringify({ ...envelope(caller, GET), method, path })
      const { code } = Object(await (await post(body)).json())
      if (code !== 'forbidden' && code !== 'invalid_request') wrong.push({ path, why, code })
    }
    expect(wrong).toEqual([])
    expect(sent()).toEqual([])
  })

  test(`every one of ${vectors.allowed.length} listed paths arrives as it was signed`, async () => {
    const expected: string[] = []
    for (const { method, path } of vectors.allowed) {
      const call = {
        method,
        path,
        ...(method === 'POST' || method === 'PUT' ? { body: '{}' } : {}),
      }
      expected.push(`${method} ${path}`)
      expect({ path, status: (await relay(call as TestCall)).status }).toEqual({
        path,
        status: 200,
      })
    }
    expect(sent().map((request) => `${request.method} ${request.target}`)).toEqual(expected)
  })
})
