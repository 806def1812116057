import { expect, test } from 'bun:test'
import { createReplyMemory } from '../../../src/gateway/cache/memory.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'

const START_MS = 1_700_000_000_000
const scrub = createScrub({ names: [] })
const entryOf = (text: string) => ({
  reply: scrub.value({ text }, { audience: 'public' }),
  fetchedAtMs: START_MS,
})

test('the answer used longest ago goes first, and the one in use stays', () => {
  const entry = entryOf('x'.repeat(1000))
  const one = createReplyMemory(1_000_000)
  one.put('k0', entry, START_MS)
  const memory = createReplyMemory(3 * one.bytes())
  for (const key of ['k0', 'k1', 'k2']) memory.put(key, entry, START_MS)
  expect(memory.get('k0', START_MS + 1000)).toBe(entry)
  memory.put('k3', entry, START_MS + 2000)
  expect(['k0', 'k1', 'k2', 'k3'].filter((key) => memory.get(key, START_MS + 2000))).toEqual([
    'k0',
    'k2',
    'k3',
  ])
})

test('the bytes held cover bodies and their compressed forms, and never pass the bound', () => {
  const memory = createReplyMemory(50_000)
  for (let n = 0; n < 500; n += 1) {
    const entry = entryOf(`${n}`.repeat(n))
    memory.put(`k${n}`, entry, START_MS)
    expect(memory.bytes()).toBeWithin(0, 50_001)
  }
  let truth = 0
  for (let n = 0; n < 500; n += 1) {
    const reply = memory.get(`k${n}`, START_MS)?.reply
    truth += (reply?.bytes.byteLength ?? 0) + (reply?.gzip()?.byteLength ?? 0)
  }
  expect(truth).toBeWithin(1, memory.bytes())
})

test('an answer costs its key, its body twice and 256 bytes, however many came before it', () => {
  const memory = createReplyMemory(1_000_000)
  const entry = entryOf('x'.repeat(20))
  for (let n = 1; n <= 9; n += 1) {
    memory.put(`k${n}`, entry, START_MS)
    expect(memory.bytes()).toBe(n * (256 + 2 * 2 + 2 * entry.reply.bytes.byteLength))
  }
})

test('a replaced answer gives its bytes back', () => {
  const memory = createReplyMemory(1_000_000)
  memory.put('k', entryOf('short'), START_MS)
  const before = memory.bytes()
  memory.put('k', entryOf('long'.repeat(1000)), START_MS)
  memory.put('k', entryOf('short'), START_MS)
  expect(memory.bytes()).toBe(before)
})

test('an answer larger than everything is not held and pushes nothing out', () => {
  const memory = createReplyMemory(5000)
  const small = entryOf('small')
  memory.put('small', small, START_MS)
  memory.put('huge', entryOf('x'.repeat(5000)), START_MS)
  expect(memory.get('huge', START_MS)).toBeUndefined()
  expect(memory.get('small', START_MS)).toBe(small)
})
