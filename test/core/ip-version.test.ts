import { expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { ipVersion } from '../../src/core/client-address.ts'
import { runs } from '../runs.ts'

const group = fc.oneof(
  fc.nat({ max: 0xffff }).map((value) => value.toString(16)),
  fc.constantFrom('', '0', '00ff', 'g', '12345', '1.2.3.4', '1.2.3', '01.2.3.4', '1.2.3.256'),
)
const spelled = fc
  .tuple(fc.array(group, { maxLength: 9 }), fc.constantFrom('', '', '', '%eth0', '%', '%a b'))
  .map(([groups, zone]) => groups.join(':') + zone)

test('a text is an address where the runtime says so, and nowhere else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), spelled, fc.string()), (text) => {
      expect([text, ipVersion(text)]).toEqual([text, isIP(text) as 0 | 4 | 6])
    }),
    { numRuns: runs(500) },
  )
})

test.each([
  ['::', 6],
  ['::1', 6],
  ['1::', 6],
  ['1:2:3:4:5:6:7::', 6],
  ['1:2:3:4:5:6:7:8', 6],
  ['::ffff:1.2.3.4', 6],
  ['fe80::1%eth0', 6],
  ['1:2:3:4:5:6:7:8::', 0],
  ['1::2::3', 0],
  [':::', 0],
  ['::1.2.3.4:5', 0],
  ['1.2.3.4', 4],
  ['01.2.3.4', 0],
  ['1.2.3', 0],
  ['', 0],
] as const)('%j is of version %d', (text, version) => {
  expect(ipVersion(text)).toBe(version)
})
