import { expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { createRequestContext, inRequest } from '../../../src/core/observing/request-context.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { createSingleFlight } from '../../../src/gateway/cache/single-flight.ts'

function fixture() {
  const failures: [string, unknown][] = []
  const flights = createSingleFlight<number>((key, error) => failures.push([key, error]))
  return { flights, failures }
}

test('a run nobody waits for reports its failure once, and leaves no unhandled rejection', async () => {
  const { flights, failures } = fixture()
  const error = new Error('down')
  flights.behind('k', () => Promise.reject(error))
  expect(flights.isUnderWay('k')).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(failures).toEqual([['k', error]])
  expect(flights.isUnderWay('k')).toBe(false)
})

test('a run that throws before it waits fails like any other and is over', async () => {
  const { flights, failures } = fixture()
  const error = new Error('at once')
  const thrown = await flights
    .join('k', () => {
      throw error
    })
    .catch((reason) => reason)
  expect(thrown).toBe(error)
  expect(failures).toHaveLength(1)
  expect(await flights.join('k', async () => 2)).toBe(2)
})

test('a second run is not started behind the first', async () => {
  const { flights } = fixture()
  let runs = 0
  const run = async () => {
    runs += 1
    return runs
  }
  flights.behind('k', run)
  flights.behind('k', run)
  expect(await flights.join('k', run)).toBe(1)
  expect(runs).toBe(1)
})

test('keys fly apart', async () => {
  const { flights } = fixture()
  const held = Promise.withResolvers<number>()
  const slow = flights.join('slow', () => held.promise)
  expect(await flights.join('quick', async () => 1)).toBe(1)
  held.resolve(2)
  expect(await slow).toBe(2)
})

/** What a lane of the venue refuses to a caller that has used its share. */
const refusal = () =>
  new Failure('upstream_busy', undefined, { cause: new UpstreamError('saturated', false) })

function asCaller<Result>(limitKey: string, work: () => Result): Result {
  return inRequest(
    createRequestContext('id', limitKey, () => null),
    work,
  )
}

test('a caller whose leader was refused as another address leads one run for all the others', async () => {
  const { flights } = fixture()
  const gate = Promise.withResolvers<number>()
  const greedy = asCaller('greedy', () => flights.join('k', () => gate.promise))
  const same = asCaller('greedy', () => flights.join('k', async () => 1))
  let runs = 0
  const run = async () => {
    runs += 1
    return 2
  }
  const others = ['one', 'two', 'two'].map((name) => asCaller(name, () => flights.join('k', run)))
  gate.reject(refusal())
  const outcomes = await Promise.allSettled([greedy, same, ...others])
  const refused = { status: 'rejected', reason: { code: 'upstream_busy' } }
  const answered = { status: 'fulfilled', value: 2 }
  expect(outcomes).toMatchObject([refused, refused, answered, answered, answered])
  expect(runs).toBe(1)
})

test('a venue that is busy itself is busy to all callers, whoever asked it', async () => {
  const { flights } = fixture()
  const sent = new UpstreamError('saturated', true)
  for (const error of [
    new Failure('upstream_busy'),
    new Failure('upstream_busy', undefined, { cause: sent }),
  ]) {
    const gate = Promise.withResolvers<number>()
    const first = asCaller('one', () => flights.join('k', () => gate.promise))
    const second = asCaller('two', () => flights.join('k', async () => 2))
    gate.reject(error)
    const settled = await Promise.allSettled([first, second])
    expect(settled.map((each) => each.status === 'rejected' && each.reason)).toEqual([error, error])
  }
})

test('a caller sees eight refusals of others, and the ninth is its own', async () => {
  for (const [refusals, ends] of [
    [8, 'answered'],
    [9, 'refused'],
  ] as const) {
    const { flights } = fixture()
    const greedy = Array.from({ length: refusals }, (_, at) =>
      asCaller(`greedy ${at}`, () => flights.join('k', () => Promise.reject(refusal()))),
    )
    const last = asCaller('last', () => flights.join('k', async () => 1)).then(
      () => 'answered',
      () => 'refused',
    )
    await Promise.allSettled(greedy)
    expect(await last).toBe(ends)
  }
})

test('a caller that has stopped waiting leads no run', async () => {
  const { flights } = fixture()
  const gate = Promise.withResolvers<number>()
  const leader = asCaller('one', () => flights.join('k', () => gate.promise))
  let runs = 0
  const run = async () => {
    runs += 1
    return 2
  }
  const hasty = asCaller('two', () => flights.join('k', run, 1))
  await expect(hasty).rejects.toMatchObject({ code: 'upstream_timeout' })
  gate.reject(refusal())
  await expect(leader).rejects.toMatchObject({ code: 'upstream_busy' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(runs).toBe(0)
})
