import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FAILURES } from '../../src/contract/failures.ts'
import { isObject } from '../../src/core/json.ts'
import { TARGET_KINDS, USUAL_KINDS } from '../target.ts'
import { CORPUS, type Row } from './corpus.ts'
import type { Answered } from './exchange.ts'
import { requestOf } from './request.ts'
import { openWorld, SECRET, type World } from './world.ts'

const ROWS_MIN = 600
const GROWTH_MAX_BYTES = 128 * 1024 * 1024

test(`there are more than ${ROWS_MIN} hostile inputs, each with a name of its own`, () => {
  const names = CORPUS.flatMap(([subject, { rows }]) =>
    rows.map(({ name }) => `${subject}: ${name}`),
  )
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(ROWS_MIN)
})

/** What the compiled binary is asked in every run: the subjects nearest to its listener. */
const NEAR_THE_LISTENER: ReadonlySet<string> = new Set(['connections', 'texts', 'origins'])

describe.each([...TARGET_KINDS])('hostile, %s', (kind) => {
  const isUsual = USUAL_KINDS.includes(kind)
  const subjects = CORPUS.filter(([subject]) => isUsual || NEAR_THE_LISTENER.has(subject))
  describe.each([...subjects])('%s', (_, { settings, rows }) => {
    let world: World
    let residentAtStart = 0

    beforeAll(async () => {
      world = await openWorld(kind, settings)
      residentAtStart = await world.residentBytes()
    })
    afterAll(async () => {
      await world.stop()
    })

    test.each([...rows])('$name', async (row) => {
      const request = await requestOf(row, world.target)
      const [sent, stored] = [world.sent().length, world.stored()]
      const answer = await world.send(request, row.to)
      expectAnswer(row, answer)
      const arrived = world.sent().slice(sent)
      if (row.sent !== null) {
        expect(arrived.map(({ method, target }) => `${method} ${target}`)).toEqual([
          ...(row.sent ?? []),
        ])
      }
      if (row.stored !== null) expect(world.stored() - stored).toBe(row.stored ?? 0)
      for (const text of [answer.text, world.target.log(), ...arrived.map(wholeOf)]) {
        expect(text.toLowerCase().includes(SECRET)).toBe(false)
      }
    })

    test('and afterwards it has not crashed, has not grown, and answers as ever', async () => {
      const well = await world.target.fetch('/api/prep/config')
      expect(well.status).toBe(200)
      expect(world.target.log()).not.toMatch(/"crash"|panic|Unhandled|\n {4}at /)
      expect((await world.residentBytes()) - residentAtStart).toBeLessThan(GROWTH_MAX_BYTES)
    })
  })
})

function wholeOf({
  target,
  headers,
  text,
}: World['sent'] extends () => readonly (infer R)[] ? R : never) {
  return `${target}\n${headers.flat().join('\n')}\n${text}`
}

function expectAnswer({ expect: expected }: Row, answer: Answered): void {
  const statuses = [expected.status].flat()
  if (!statuses.includes(answer.status))
    expect(answer.text.slice(0, 2000)).toBe(`status ${statuses.join(' or ')}`)
  expect([expected.answers ?? Math.min(answer.status, 1)].flat()).toContain(answer.answers)
  const body = parsed(answer.body)
  expectClosedList(answer.status, body)
  if (expected.code !== undefined) expect(codeOf(body)).toBe(expected.code)
  if (expected.parameter !== undefined)
    expect(metaOf(body)).toMatchObject({ parameter: expected.parameter })
  if (expected.rpc !== undefined) expect(body).toMatchObject({ error: { code: expected.rpc } })
  const text = `${answer.head}\n\n${answer.body}`
  const missing = expected.has?.filter((part) => !text.includes(part)) ?? []
  const present = expected.missing?.filter((part) => text.includes(part)) ?? []
  expect({ missing, present, of: text.slice(0, 500) }).toMatchObject({ missing: [], present: [] })
}

/** Whatever carries a code carries one of the list, with its status. */
function expectClosedList(status: number, body: unknown): void {
  expect(status).not.toBe(500)
  if (!isObject(body) || typeof body['code'] !== 'string') return
  const listed = Object.entries(FAILURES).map(([code, row]) => `${code} ${row.status}`)
  expect(listed).toContain(`${body['code']} ${status}`)
}

/** The failure in a body: as it is, in the data of a JSON-RPC error, or in the text of a tool. */
function failureIn(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) return {}
  const { error, result } = body
  if (isObject(error)) return isObject(error['data']) ? error['data'] : {}
  if (!isObject(result)) return body
  const [first] = Array.isArray(result['content']) ? result['content'] : []
  const failure = result['isError'] === true ? parsed(String(Object(first).text)) : {}
  return isObject(failure) ? failure : {}
}

function codeOf(body: unknown): unknown {
  return failureIn(body)['code']
}

function metaOf(body: unknown): unknown {
  return failureIn(body)['meta']
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
