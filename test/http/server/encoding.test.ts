import { expect, test } from 'bun:test'
import { preferredEncoding } from '../../../src/http/server/responses.ts'

test.each([
  ['gzip, deflate, br, zstd', 'zstd'],
  ['ZSTD', 'zstd'],
  ['zstd;q=0.5, gzip;q=0.5', 'zstd'],
  ['zstd;q=0.4, gzip;q=0.5', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['zstd;q=0.9, *', 'gzip'],
  ['*', 'gzip'],
  ['br;q=0.5, gzip;q=0.9', 'gzip'],
  ['zstd;q=0', null],
  ['zstdx', null],
  ['identity', null],
  ['', null],
] as const)('of %j an answer comes as %p, asked once or again', (header, encoding) => {
  const accepted = new Headers({ 'accept-encoding': header })
  expect([preferredEncoding(accepted), preferredEncoding(accepted)]).toEqual([encoding, encoding])
})

test('whoever says nothing has it plain', () => {
  expect(preferredEncoding(new Headers())).toBeNull()
})
