import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isPublicAddress } from '../../src/core/public-address.ts'

test.each([
  ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '100.127.255.255', '198.18.0.1'],
  ...['192.0.0.8', '192.0.2.1', '198.51.100.7', '203.0.113.7', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1'],
  ...[
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    'fec0::1',
    '64:ff9b::7f00:1',
  ],
  ...['64:ff9b:1::1', '2002:7f00:1::1', '2001::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1'],
  ...['', 'localhost', '127.1', '0x7f000001', '2130706433', 'example.com', '1.2.3.4.5'],
])('%p is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'],
  ...['172.32.0.0', '169.253.255.255', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'],
])('%p is one', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test('no spelling of an IPv4 address as one of IPv6 is public', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
      const address = octets.join('.')
      expect(isPublicAddress(`::ffff:${address}`)).toBe(false)
    }),
  )
})
