import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, type TargetKind } from '../target.ts'
import { openStill } from './clocked-target.ts'
import { recordedAnswer } from './recorded-venue.ts'

type Answering = (request: Recorded) => AnswerSpec

/** prepd before a venue that answers as recorded, unless a test says otherwise until it ends. */
export function marketFixture(kind: TargetKind) {
  let answering: Answering = recordedAnswer
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream((request) => answering(request))
    target = await openTarget(kind, { VENUE: venue.url, BROKER_ID: 'operator-7' })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })
  beforeEach(() => {
    answering = recordedAnswer
  })

  return {
    answers: (next: Answering) => {
      answering = next
    },
    requests: () => venue.requests,
    /** Another prepd before the same venue, with nothing kept. */
    another: () => openStill(kind, { VENUE: venue.url }),
    /** What a path under /api/prep/ answers, and what was asked of the venue for it. */
    get: async (path: string) => {
      const before = venue.requests.length
      const response = await target.fetch(`/api/prep/${path}`)
      const body = Object(await response.json())
      const sent = venue.requests.slice(before).map(({ target: asked, text }) => ({ asked, text }))
      return { status: response.status, body, sent }
    },
  }
}
