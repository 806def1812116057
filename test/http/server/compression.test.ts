import { expect, test } from 'bun:test'
import { createCompression } from '../../../src/http/server/compression.ts'

test('short messages are sent as they are', () => {
  const compression = createCompression({ nowMs: () => 1 })
  expect([511, 512].map((chars) => compression(chars, 1))).toEqual([false, true])
  expect(compression(4000, 0)).toBe(false)
})

test('beyond a mebibyte a second messages are sent as they are', () => {
  let nowMs = 5000
  const compression = createCompression({ nowMs: () => nowMs })
  expect(compression(1024, 1024)).toBe(true)
  expect(compression(512, 1)).toBe(false)
  nowMs += 999
  expect(compression(512, 1)).toBe(false)
  nowMs += 1
  expect(compression(1024, 1025)).toBe(false)
  expect(compression(512, 1)).toBe(true)
})

test('a clock that is set back begins a new second', () => {
  let nowMs = 5000
  const compression = createCompression({ nowMs: () => nowMs })
  expect(compression(1024, 1024)).toBe(true)
  nowMs = 0
  expect(compression(512, 1)).toBe(true)
})
