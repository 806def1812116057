import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type InputLine, readLines } from '../../../src/agents/protocol/lines.ts'

async function linesIn(chunks: readonly Uint8Array[], maxBytes = 64): Promise<InputLine[]> {
  async function* stream() {
    yield* chunks
  }
  return Array.fromAsync(readLines(stream(), maxBytes))
}

const text = (value: string) => new TextEncoder().encode(value)

test('lines are what stands between newlines, the last one with or without', async () => {
  expect(await linesIn([text('a\n\nb\r\nc')])).toEqual([
    { text: 'a' },
    { text: '' },
    { text: 'b\r' },
    { text: 'c' },
  ])
  expect(await linesIn([text('a\n')])).toEqual([{ text: 'a' }])
  expect(await linesIn([])).toEqual([])
})

test('a line that is too long is told of once, and the next one is whole', async () => {
  const long = 'x'.repeat(65)
  expect(await linesIn([text(`${'x'.repeat(64)}\n${long}\nb\n${long}`)])).toEqual([
    { text: 'x'.repeat(64) },
    { fault: 'too long' },
    { text: 'b' },
    { fault: 'too long' },
  ])
})

test('a line that is no UTF-8 is told of, and the next one is whole', async () => {
  expect(await linesIn([new Uint8Array([0xff, 0x0a]), text('b')])).toEqual([
    { fault: 'not UTF-8' },
    { text: 'b' },
  ])
})

test('where the stream is cut makes no difference', async () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 8 })
  const content = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(content, cuts, async (lines, places) => {
      const bytes = text(lines.join('\n'))
      const sorted = [0, ...places.toSorted((a, b) => a - b), bytes.length]
      const chunks = sorted.slice(1).map((end, at) => bytes.slice(sorted[at], end))
      expect(await linesIn(chunks)).toEqual(await linesIn([bytes]))
    }),
  )
})
