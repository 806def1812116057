import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { clientAddress, isLoopback, limitKey, parseCidrs } from '../../src/core/client-address.ts'

const PROXIES = parseCidrs(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])

describe('the client address', () => {
  const cases: [name: string, peer: string, forwardedFor: string | null, address: string][] = [
    ['is the peer without a forwarded address', '10.0.0.1', null, '10.0.0.1'],
    ['is an untrusted peer, whatever it claims', '203.0.113.9', '1.1.1.1', '203.0.113.9'],
    ['is what a trusted proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'is the rightmost hop, not what a client put before it',
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'is found behind several proxies',
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9, 10.9.9.9,192.0.2.1',
      '203.0.113.9',
    ],
    ['is the leftmost hop when all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [
      'is the last good hop before one that is no address',
      '10.0.0.1',
      '1.1.1.1, unknown, 10.0.0.2',
      '10.0.0.2',
    ],
    ['is the peer when the only hop is no address', '10.0.0.1', 'evil', '10.0.0.1'],
    ['is the peer when the header is empty', '10.0.0.1', '', '10.0.0.1'],
    ['stops at an empty entry', '10.0.0.1', '1.1.1.1,,10.0.0.2', '10.0.0.2'],
    ['is read without a port', '10.0.0.1', '203.0.113.9:55123', '203.0.113.9'],
    ['is read out of brackets', '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['is read out of brackets with a port', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['is a bare IPv6 address', 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['is IPv4 behind a mapped peer', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    [
      'is IPv4 of a mapped peer that is not trusted',
      '::ffff:203.0.113.9',
      '1.1.1.1',
      '203.0.113.9',
    ],
    ['does not believe brackets around IPv4', '10.0.0.1', '[203.0.113.9]', '10.0.0.1'],
    ['does not believe octal-looking addresses', '10.0.0.1', '010.0.0.1', '10.0.0.1'],
    ['does not believe two addresses in one entry', '10.0.0.1', '1.1.1.1 2.2.2.2', '10.0.0.1'],
    ['does not believe a port of six digits', '10.0.0.1', '203.0.113.9:123456', '10.0.0.1'],
  ]
  test.each(cases)('%s', (_, peer, forwardedFor, address) => {
    expect(clientAddress(peer, forwardedFor, PROXIES)).toBe(address)
  })

  test('is the peer when nobody is trusted', () => {
    expect(clientAddress('10.0.0.1', '203.0.113.9', [])).toBe('10.0.0.1')
  })

  test('is looked for in the last 32 hops only', () => {
    const chain = ['203.0.113.9', ...Array(5000).fill('10.0.0.2')].join(', ')
    expect(clientAddress('10.0.0.1', chain, PROXIES)).toBe('10.0.0.2')
  })

  test('is never chosen by an untrusted peer', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(clientAddress('203.0.113.9', header, PROXIES)).toBe('203.0.113.9')
      }),
    )
  })

  test('is never chosen by what stands left of the hop a proxy appended', () => {
    fc.assert(
      fc.property(fc.string(), (claimed) => {
        expect(clientAddress('10.0.0.1', `${claimed}, 203.0.113.9`, PROXIES)).toBe('203.0.113.9')
      }),
    )
  })
})

describe('address blocks', () => {
  const wrong = [
    '',
    ' ',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/a',
    '10.0.0/8',
    '10.0.0.1/8',
    '::1/129',
    'fd00::1/8',
    'localhost',
    '10.0.0.0/1e1',
    '[::1]',
  ]
  test.each(wrong)('refuse %p, naming it', (entry) => {
    expect(() => parseCidrs(['10.0.0.0/8', entry])).toThrow(
      new RangeError(`not an address block: ${entry}`),
    )
  })

  const members: [block: string, inside: string, outside: string][] = [
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.1.2.128/25', '10.1.2.128', '10.1.2.127'],
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    [' 10.0.0.0/8 ', '::ffff:10.1.1.1', '::ffff:11.0.0.0'],
    ['0.0.0.0/0', '255.255.255.255', '2001:db8::1'],
    ['2001:db8::/33', '2001:db8:7fff::1', '2001:db8:8000::1'],
    ['::1', '0:0:0:0:0:0:0:1', '::2'],
    ['fe80::/10', 'fe80::1%eth0', 'fec0::1'],
  ]
  test.each(members)('%s holds %s and not %s', (block, inside, outside) => {
    const trusted = parseCidrs([block])
    expect(clientAddress(inside, '198.51.100.7', trusted)).toBe('198.51.100.7')
    expect(clientAddress(outside, '198.51.100.7', trusted)).not.toBe('198.51.100.7')
  })
})

describe('what the windows count', () => {
  const cases: [address: string, key: string][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b::/64'],
    ['/run/prepd.sock', '/run/prepd.sock'],
    ['not:an:address', 'not:an:address'],
  ]
  test.each(cases)('%s counts as %s', (address, key) => {
    expect(limitKey(address)).toBe(key)
  })

  test('all addresses of a /64 share a key, and no other /64 has it', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const half = fc.array(group, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(half, half, half, half, (prefix, other, one, two) => {
        const key = limitKey([...prefix, ...one].join(':'))
        fc.pre(key.endsWith('::/64'))
        expect(limitKey([...prefix, ...two].join(':'))).toBe(key)
        expect(limitKey(key.replace('/64', '1'))).toBe(key)
        if (prefix.join() !== other.join())
          expect(limitKey([...other, ...one].join(':'))).not.toBe(key)
      }),
    )
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['::2', false],
  ['0.0.0.0', false],
  ['localhost', false],
  ['127.0.0.1.example.com', false],
])('%s is loopback: %p', (address, loopback) => {
  expect(isLoopback(address)).toBe(loopback)
})
