import { expect, test } from 'bun:test'
import { createLineWriter } from '../../../src/core/log.ts'

/** A stream that takes nothing before it is released. */
function heldStream() {
  const waiting: { readonly text: string; readonly settled: (error?: Error) => void }[] = []
  const taken: string[] = []
  return {
    taken,
    write: (text: string, settled: (error?: Error) => void) => {
      waiting.push({ text, settled })
    },
    take: (count = waiting.length) => {
      for (const { text, settled } of waiting.splice(0, count)) {
        taken.push(text)
        settled()
      }
    },
    fail: () => {
      for (const { settled } of waiting.splice(0)) settled(new Error('EPIPE'))
    },
  }
}

test('lines go to the stream one by one, each with its end', () => {
  const stream = heldStream()
  const { write, hasRoom } = createLineWriter(() => stream, 100)
  write('one')
  write('two')
  stream.take()
  expect(stream.taken).toEqual(['one\n', 'two\n'])
  expect(hasRoom()).toBe(true)
})

test('what a slow reader is owed is bounded in bytes', () => {
  const { write, hasRoom } = createLineWriter(heldStream, 10)
  write('éé')
  expect(hasRoom()).toBe(true)
  write('1234')
  expect(hasRoom()).toBe(false)
})

test('once it was full there is room again when half has been taken, and not before', () => {
  const stream = heldStream()
  const { write, hasRoom } = createLineWriter(() => stream, 10)
  for (const line of ['123', '123', '123']) write(line)
  const rooms = [hasRoom()]
  for (let taken = 0; taken < 3; taken += 1) {
    stream.take(1)
    rooms.push(hasRoom())
  }
  expect(rooms).toEqual([false, false, true, true])
})

test('a stream that failed has no room for anything more', () => {
  const stream = heldStream()
  const { write, hasRoom } = createLineWriter(() => stream, 100)
  write('one')
  stream.fail()
  expect(hasRoom()).toBe(false)
})
