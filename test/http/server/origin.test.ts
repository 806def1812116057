import { describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { assertSameSite, type SiteRules } from '../../../src/http/server/origin.ts'

const RULES: SiteRules = {
  hosts: ['localhost', '127.0.0.1', '[::1]', 'api.example'],
  origins: ['https://app.example', 'https://b.example:8443'],
}

/** The failure of a refused request, with the setting that it names; null for a request that is let in. */
function refusedBy(headers: Record<string, string>, rules = RULES): unknown {
  try {
    assertSameSite(new Request('http://api.example/x', { headers }), rules)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [error.code, error.meta?.reason, error.meta?.['setting']]
  }
}

const BY_HOST = ['forbidden', 'foreign_host', 'PREPD_ALLOWED_HOSTS']
const BY_ORIGIN = ['forbidden', 'foreign_origin', 'PREPD_ALLOWED_ORIGINS']

describe('a Host', () => {
  test.each(['api.example', 'API.EXAMPLE', 'api.example:1', 'localhost:', '[::1]:80', '127.0.0.1'])(
    'of ours is let in: %s',
    (host) => {
      expect(refusedBy({ host })).toBeNull()
    },
  )

  test.each(['localhost:8080', '127.0.0.1', '[::1]:80'])(
    'of this machine is let in also where other names are listed: %s',
    (host) => {
      const rules = { ...RULES, hosts: ['api.example'] }
      expect(refusedBy({ host }, rules)).toBeNull()
      expect(refusedBy({ host: `${host}.evil` }, rules)).toEqual(BY_HOST)
    },
  )

  test.each(['xapi.example', 'api.example.evil', 'api.example:1x', 'example', '::1', '[::1', ''])(
    'that only resembles ours is not: %p',
    (host) => {
      expect(refusedBy({ host })).toEqual(BY_HOST)
    },
  )
})

describe('an Origin', () => {
  const host = 'api.example:8080'

  test.each([
    'https://app.example',
    'https://b.example:8443',
    'https://api.example:8080',
    'http://localhost:5173',
    'http://127.9.9.9',
    'http://[::1]',
  ])('that is listed, of this host or loopback is let in: %s', (origin) => {
    expect(refusedBy({ host, origin })).toBeNull()
  })

  test.each([
    'https://app.example/',
    'https://app.example/page',
    'https://app.example:444',
    'https://app.example.evil.example',
    'https://app.exampl',
    'http://app.example',
    'https://b.example',
    'https://api.example',
    'https://api.example:8080/',
    'https://api.example:8080/page',
    'https://api.example:80801',
    'https://api.example:8080.evil.example',
    'http://localhost/',
    'http://localhost:5173/page',
    'http://localhost:5173@evil.example',
    'http://user@localhost',
    'http://localhost.evil.example',
    'HTTP://localhost',
    'null',
    '*',
    '',
  ])('that only resembles one of these is not: %p', (origin) => {
    expect(refusedBy({ host, origin })).toEqual(BY_ORIGIN)
  })

  test.each(['https://api.example:8080', 'https://api.example.evil.example'])(
    'is not known for beginning with this host: %s',
    (origin) => {
      expect(refusedBy({ host: 'api.example', origin })).toEqual(BY_ORIGIN)
      expect(refusedBy({ host: 'api.example', origin: 'https://api.example' })).toBeNull()
    },
  )

  test('is needed of nobody, and `*` lists nobody', () => {
    const everybody: SiteRules = { ...RULES, origins: '*' }
    expect(refusedBy({ host }, everybody)).toBeNull()
    expect(refusedBy({ host, origin: 'https://app.example' }, everybody)).toEqual(BY_ORIGIN)
    expect(refusedBy({ host, origin: 'http://localhost' }, everybody)).toBeNull()
  })
})
