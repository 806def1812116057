import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { envelope, jsonPost, type TestCall, type TestCaller } from '../caller.ts'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, type TargetKind, type TargetSettings } from '../target.ts'

type RelayFixtureOptions = {
  readonly caller: TestCaller
  readonly settings?: TargetSettings
  readonly answer?: (request: Recorded) => AnswerSpec | Promise<AnswerSpec>
}

/**
 * A relay in front of a recording upstream, for one `describe`: opened before its tests, stopped after them. `sent`
 * is what arrived at the upstream since the running test began.
 */
export function relayFixture(
  kind: TargetKind,
  { caller, settings = {}, answer }: RelayFixtureOptions,
) {
  let upstream: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target
  let sentBefore = 0
  const open = () => openTarget(kind, { VENUE: upstream.url, ...settings })

  beforeAll(async () => {
    upstream = await startRecordingUpstream(answer)
    target = await open()
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })
  beforeEach(() => {
    sentBefore = upstream.requests.length
  })

  const post = (body: unknown, init: RequestInit = {}) => {
    const asked = jsonPost(body)
    const headers = { ...asked.headers, ...init.headers }
    return target.fetch('/api/prep/relay', { ...asked, ...init, headers })
  }
  return {
    post,
    relay: (call: TestCall, init?: RequestInit) => post(envelope(caller, call), init),
    sent: (): readonly Recorded[] => upstream.requests.slice(sentBefore),
    fetch: (path: string, init?: RequestInit) => target.fetch(path, init),
    log: () => target.log(),
    restart: async () => {
      await target.stop()
      target = await open()
    },
  }
}
