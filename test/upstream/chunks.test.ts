import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../src/contract/limits.ts'
import { chunked } from '../../src/upstream/sockets/framing.ts'

/** What comes of a body in chunks whose reads are cut at some offsets. */
function read(raw: Buffer, cuts: readonly number[] = []) {
  const framing = chunked()
  const parts: Uint8Array[] = []
  const ends = [...cuts.map((cut) => cut % raw.length), raw.length].sort((a, b) => a - b)
  let behind: Buffer | null = null
  let from = 0
  for (const to of ends) {
    if (to > from) behind = framing(Buffer.from(raw.subarray(from, to)), (part) => parts.push(part))
    from = Math.max(from, to)
  }
  return {
    parts,
    text: Buffer.concat(parts).toString('latin1'),
    behind: behind?.toString('latin1'),
  }
}

function inChunks(pieces: readonly string[], extension = ''): Buffer {
  const lines = pieces.map((piece) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`)
  return Buffer.from(`${lines.join('')}0\r\n\r\n`, 'latin1')
}

describe('a body in chunks', () => {
  test('is the text that was cut up, wherever its chunks and its reads are cut', () => {
    const piece = fc
      .string({ minLength: 1, maxLength: 200 })
      .map((text) => text.replace(/[^ -~]/g, '\r'))
    const extension = fc.constantFrom('', ' ', ';a=b', '\t; a="b"')
    fc.assert(
      fc.property(fc.array(piece), extension, fc.array(fc.nat()), (pieces, ending, cuts) => {
        const { text, behind } = read(inChunks(pieces, ending), cuts)
        expect(text).toBe(pieces.join(''))
        expect(behind).toBe('')
      }),
    )
  })

  test('leaves what lies behind its end, and its trailers out', () => {
    const raw = Buffer.from('3\r\nabc\r\n0\r\nX-A: \r\r\nX-B: c\r\n\r\nHTTP')
    expect(read(raw)).toMatchObject({ text: 'abc', behind: 'HTTP' })
  })

  test('is passed on as one part a read, which keeps no more than twice its size alive', () => {
    const { parts } = read(
      inChunks(Array(1000).fill('abc'), ';about'.repeat(2)).subarray(0, 15_000),
    )
    expect(parts).toHaveLength(1)
    for (const { length, buffer } of parts)
      expect(buffer.byteLength).toBeLessThanOrEqual(2 * length)
  })

  const BOUNDS: readonly [string, taken: Buffer, refused: Buffer][] = [
    [
      'the framing of many small chunks',
      inChunks(Array(Math.floor(LIMITS.upstreamFramingMaxBytes / 5)).fill('x')),
      inChunks(Array(LIMITS.upstreamFramingMaxBytes / 4).fill('x')),
    ],
    [
      'an extension',
      inChunks(['x'], `;${'e'.repeat(250)}`),
      inChunks(['x'], `;${'e'.repeat(256)}`),
    ],
    ['spaces behind a size', inChunks(['x'], ' '.repeat(250)), inChunks(['x'], ' '.repeat(256))],
    [
      'trailers',
      Buffer.from(`0\r\n${'X-A: b\r\n'.repeat(2000)}\r\n`),
      Buffer.from(`0\r\n${'X-A: b\r\n'.repeat(2100)}\r\n`),
    ],
  ]
  test.each(BOUNDS)('has a bound for %s', (_, taken, refused) => {
    expect(read(taken).behind).toBe('')
    expect(() => read(refused)).toThrow()
  })

  test('of megabytes in chunks of 32 bytes is within them', () => {
    expect(read(inChunks(Array(100_000).fill('x'.repeat(32)))).text).toHaveLength(3_200_000)
  })
})
