import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isObject } from '../../src/core/json.ts'
import type { AnswerSpec, Recorded } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { recordedAnswer, recordedBody, startRecordedVenue } from './recorded-venue.ts'
import { misshapen } from './shape.ts'
import { SPEC_SHAPES } from './spec-shapes.ts'

/** Each number as its text, and after the rows of each list three that are no rows. */
function odd(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) {
    const rows = value.map(odd)
    return value.some(isObject) ? [...rows, null, ['a list'], 'a name'] : rows
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, odd(member)]))
}

function oddAnswer(request: Recorded): AnswerSpec {
  const body = recordedBody(request)
  if (!isObject(body)) return recordedAnswer(request)
  if (!('data' in body)) return { json: odd(body) }
  return { json: { ...body, data: odd(body['data']) } }
}

/** The specification states no types for their members. */
const AS_SENT = ['insurance-fund', 'liquidations', 'points', 'catalogue']
const CASES = SPEC_SHAPES.filter(
  ({ path }) => !AS_SENT.some((route) => path.startsWith(`/api/prep/${route}`)),
)

describe.each([...USUAL_KINDS])(
  'a wire with numerals as text, nulls, lists and names, %s',
  (kind) => {
    const venues: Awaited<ReturnType<typeof startRecordedVenue>>[] = []
    let targets: readonly Target[]
    beforeAll(async () => {
      venues.push(await startRecordedVenue(), await startRecordedVenue(oddAnswer))
      targets = await Promise.all(
        venues.map(({ url }) => openTarget(kind, { VENUE: url, VENUE_STREAM: 'off' })),
      )
    })
    afterAll(async () => {
      await Promise.all(targets.map((target) => target.stop()))
      await Promise.all(venues.map((venue) => venue.stop()))
    })

    test.each([...CASES])('$path is as on the documented wire', async ({ path, shape }) => {
      const [plain, answered] = await Promise.all(
        targets.map(async (target) => {
          const response = await target.fetch(path)
          return { status: response.status, text: await response.text() }
        }),
      )
      expect(answered).toEqual(plain)
      expect(answered?.status).toBe(200)
      expect(misshapen(JSON.parse(answered?.text ?? ''), shape)).toEqual([])
    })
  },
)
