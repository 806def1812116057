import { expect, test } from 'bun:test'
import { isLoopbackUrl, LOOPBACK_NAMES, withoutBrackets } from '../../src/core/base-url.ts'

test.each([...LOOPBACK_NAMES, '127.9.9.9', '[::ffff:127.0.0.1]'])('%s is this machine', (host) => {
  expect(isLoopbackUrl(URL.parse(`http://${host}:8080/path`))).toBe(true)
})

test.each(['localhost.example', '126.0.0.1', '0.0.0.0', '[::2]', '[::ffff:10.0.0.1]'])(
  '%s is another',
  (host) => {
    expect(isLoopbackUrl(URL.parse(`https://${host}/`))).toBe(false)
  },
)

test('what is no URL is nowhere', () => {
  expect(isLoopbackUrl(null)).toBe(false)
})

test('only a pair of brackets around the whole host is taken off', () => {
  expect(['[::1]', '::1', 'host', '[x', 'a[b]'].map(withoutBrackets)).toEqual([
    '::1',
    '::1',
    'host',
    '[x',
    'a[b]',
  ])
})
