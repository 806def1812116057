import { expect, test } from 'bun:test'
import { startWatch } from './shared/watch.ts'

test('a part of the soak in which no honest account was answered is wrong', async () => {
  const notes: string[] = []
  const place = { scheduled: () => ({ ranMs: 0, waitedMs: 0 }) }
  const watch = await startWatch(place, (line) => notes.push(line))
  await watch.pass('quiet', 1)
  await watch.stop()
  const kinds = ['writes', 'cancels', 'reductions', 'reads']
  expect(watch.wrong).toEqual(kinds.map((kind) => `quiet: no ${kind} were answered`))
})
