import { afterAll, describe, expect, test } from 'bun:test'
import { refusal, running, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const ACCOUNT = `0x${'Ab'.repeat(32)}`
const HEX_KEY = '01'.repeat(32)

describe('a setting', () => {
  test('is taken from the flag, else the environment, else the file, else its default', () => {
    const path = folder.write('order.toml', 'service_name = "from-file"')
    const file = ['--config', path]
    const env = { PREPD_SERVICE_NAME: 'from-env' }
    const flag = ['--service-name', 'from-flag']
    const cases = [
      { argv: [...flag, ...file], env, name: 'from-flag', origin: 'flag' },
      { argv: file, env, name: 'from-env', origin: 'environment' },
      { argv: file, env: {}, name: 'from-file', origin: 'file' },
      { argv: [], env: {}, name: 'prepd', origin: 'default' },
    ]
    for (const { argv, env, name, origin } of cases) {
      const { settings, entries } = running(folder.invoke(argv, env))
      expect(settings.serviceName).toBe(name)
      expect(entries.find((entry) => entry.name === 'SERVICE_NAME')).toMatchObject({
        text: name,
        origin,
      })
    }
  })

  test('reads the same from --flag value and --flag=value', () => {
    const [apart, joined] = [['--broker-id', 'acme'], ['--broker-id=acme']].map((argv) =>
      folder.invoke(argv),
    )
    expect(apart).toEqual(joined as never)
  })

  test('may stand in the file as a number or an array', () => {
    const path = folder.write(
      'natural.toml',
      'venue_seed = 7\nvenue_faucet = 0.5\nallowed_hosts = ["a.example", "B.example"]\ntrusted_proxies = []',
    )
    const { settings } = running(folder.invoke(['--config', path]))
    expect(settings.venue).toMatchObject({ seed: 7, faucetMicros: 500_000n })
    expect(settings.allowedHosts).toEqual(['a.example', 'b.example'])
    expect(settings.trustedProxies).toEqual([])
  })
})

const SECRET = 'hunter2'.repeat(6)

describe('a secret', () => {
  const secret = (name: string, env: Record<string, string>) =>
    running(folder.invoke([], env)).entries.find((entry) => entry.name === name)?.text

  test.each([
    ['a trailing newline', `${SECRET}\n`, SECRET],
    ['a trailing CRLF', `${SECRET}\r\n`, SECRET],
    ['no newline', SECRET, SECRET],
  ])('is read from a file with %s', (_, text, expected) => {
    expect(secret('OPERATOR_KEY', { PREPD_OPERATOR_KEY_FILE: folder.write('key', text) })).toBe(
      expected,
    )
  })

  test('is read from a file that the flag or the configuration names', () => {
    const key = folder.write('named-key', `${SECRET}\n`)
    const config = folder.write('secret.toml', `operator_key_file = ${JSON.stringify(key)}`)
    for (const argv of [
      ['--operator-key-file', key],
      ['--config', config],
    ]) {
      expect(running(folder.invoke(argv)).settings.operatorKeys).toEqual([SECRET])
    }
  })

  test.each([0o640, 0o604, 0o620, 0o601])('in a file of mode %o is refused unread', (mode) => {
    const path = folder.write('open-key', SECRET, mode)
    expect(refusal(folder.invoke([], { PREPD_OPERATOR_KEY_FILE: path }))).toEqual([
      'prepd: PREPD_OPERATOR_KEY_FILE names a file that others may use: chmod 600 it',
    ])
  })

  test.each([HEX_KEY, `0x${HEX_KEY}`, 'ed25519:4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'])(
    'of the affiliate is read from hex and from base58: %s',
    (key) => {
      const env = { PREPD_AFFILIATE_ACCOUNT_ID: ACCOUNT, PREPD_AFFILIATE_TRADING_KEY: key }
      const { affiliate } = running(folder.invoke([], env)).settings
      expect(affiliate?.accountId).toBe(ACCOUNT.toLowerCase())
      expect(affiliate?.secret).toHaveLength(32)
    },
  )
})
