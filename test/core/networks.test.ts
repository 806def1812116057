import { expect, test } from 'bun:test'
import { networkBits, networkKey, networksAround } from '../../src/core/networks.ts'

test.each([
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['203.0.113.7/32', '203.0.113.7'],
  ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['fe00::/16', 'fe00::/16'],
])('%s is the network %s', (text, key) => {
  expect(networkKey(text)).toBe(key)
  expect(networkKey(key) ?? key).toBe(key)
})

test.each([
  ...['0.0.0.0/0', '0.0.0.0/7', '::/0', '2000::/15', '2001:db8::/65', '2001:db8::5/128'],
  ...[
    '203.0.113.7/24',
    '203.0.113.0',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113.0/2/4',
    '1.2.3/8',
  ],
  ...['2001:db8::1/64', '/24', `0x${'a'.repeat(40)}`, ''],
])('%p is no network', (text) => {
  expect(networkKey(text)).toBeNull()
})

test('the networks around a caller are those of its version whose prefix it has', () => {
  const lengths = [
    '203.0.113.0/24',
    '198.0.0.0/8',
    '2001:db8::/32',
    '2001:db8:1::/48',
    '203.0.113.7',
  ]
    .map(networkBits)
    .filter((bits) => bits !== null)
  expect([...networksAround('203.0.113.7', lengths)]).toEqual(['203.0.113.0/24', '203.0.0.0/8'])
  expect([...networksAround('2001:db8:1:2::/64', lengths)]).toEqual([
    '2001:db8::/32',
    '2001:db8:1::/48',
  ])
  expect([...networksAround(`0x${'a'.repeat(40)}`, lengths)]).toEqual([])
})
