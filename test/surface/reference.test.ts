import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

/** What needs more than the defaults give. */
const NEEDS_SETTINGS: ReadonlySet<string> = new Set(['builder.dailyRevenue', 'voucher', 'webhook'])
const LASTING: ReadonlySet<string> = new Set(['socket', 'events'])

type Named = { readonly name: string; readonly example?: string | number }
type Call = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

describe.each([...USUAL_KINDS])('an example of the reference, %s', (kind) => {
  let target: Target
  let calls: readonly Call[] = []
  let bare: readonly string[] = []

  beforeAll(async () => {
    target = await openTarget(kind)
    const { paths } = Object(await (await target.fetch('/swagger/json')).json())
    const operations = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...Object(operation) })),
    )
    bare = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ example }: Named) => example === undefined)
        .map(({ name }: Named) => `${operationId} ${name}`),
    )
    calls = operations.map(({ path, method, operationId, parameters = [], requestBody }) => {
      const given = parameters.filter(({ example }: Named) => example !== undefined)
      const query = new URLSearchParams(
        given.map(({ name, example }: Named) => [name, String(example)]),
      )
      return {
        id: operationId,
        method: method.toUpperCase(),
        path: query.size > 0 ? `${path}?${query}` : path,
        body: requestBody?.content['application/json'].example,
      }
    })
  })
  afterAll(() => target.stop())

  const asked = ({ path, method, body }: Call) =>
    target.fetch(path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      }),
    })

  test('is there for every parameter', () => {
    expect(bare).toEqual([])
  })

  // Slow: each operation is asked with all of its parameters.
  test('is answered with 200, untouched, all of its parameters at once', async () => {
    const refused: string[] = []
    for (const call of calls) {
      if (NEEDS_SETTINGS.has(call.id) || LASTING.has(call.id)) continue
      const { status } = await asked(call)
      if (status !== 200) refused.push(`${call.id}: ${status}`)
    }
    expect(refused).toEqual([])
  })

  test('that is signed is made anew when it is asked for, by POST alone, and is another each time', async () => {
    for (const id of ['register', 'tradingKey', 'relay']) {
      const call = calls.find((each) => each.id === id)
      const made = async () =>
        (await target.fetch(`/swagger/practice/${id}`, { method: 'POST' })).json()
      const [one, two] = [await made(), await made()]
      // A signature of the same millisecond over the same text is the same.
      if (id !== 'relay') expect(one).not.toEqual(two)
      expect((await asked({ id, method: 'POST', path: call?.path ?? '', body: two })).status).toBe(
        200,
      )
      expect((await target.fetch(`/swagger/practice/${id}`)).status).not.toBe(200)
    }
    const other = await target.fetch('/swagger/practice/toString', { method: 'POST' })
    expect(other.status).toBe(404)
  })
})

test('each code of failure has its body in the document', async () => {
  const target = await openTarget('in process')
  try {
    const { components } = Object(await (await target.fetch('/swagger/json')).json())
    const bodies = Object.values<object>(components.responses).flatMap((response) =>
      Object.values<object>(Object(response).content['application/json'].examples ?? {}),
    )
    const { errors } = Object(await (await target.fetch('/api/prep/catalogue')).json())
    expect(bodies.map((each) => Object(each).value.code).toSorted()).toEqual(
      errors.map(({ code }: { code: string }) => code).toSorted(),
    )
  } finally {
    await target.stop()
  }
})

test('in front of a live venue nothing is opened to practise with', async () => {
  const target = await openTarget('in process', { VENUE: 'https://venue.example' })
  try {
    expect((await target.fetch('/swagger/json')).status).toBe(200)
    const made = await target.fetch('/swagger/practice/relay', { method: 'POST' })
    expect(made.status).toBe(404)
    expect(await (await target.fetch('/swagger/start.js')).text()).not.toContain('practised')
  } finally {
    await target.stop()
  }
})
