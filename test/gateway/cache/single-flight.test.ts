import { expect, test } from 'bun:test'
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
