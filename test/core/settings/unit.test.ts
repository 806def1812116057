import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files } from '../../../src/core/settings/files.ts'
import { readInvocation } from '../../../src/settings.ts'
import { runCommand } from '../../operator/run-command.ts'
import { refusal, running, settingsFolder } from '../../settings-folder.ts'
import selfSigned from '../../vectors/self-signed.json'

const SHIPPED = readFileSync(new URL('../../../config/prepd.service', import.meta.url), 'utf8')
const KEY = 'the-operator-key-of-a-credential-file'

/** A machine whose root is a temporary folder. */
function machine(texts: Readonly<Record<string, string>>) {
  const folder = settingsFolder()
  const at = (path: string) => folder.path(`.${path}`)
  const real = folder.files
  const files: Files = {
    stat: (path) => real.stat(at(path)),
    read: (path, maxBytes) => real.read(at(path), maxBytes),
    list: (path) => real.list(at(path)),
  }
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(at(path), '..'), { recursive: true })
    folder.write(`.${path}`, text)
  }
  const invoke: typeof folder.invoke = (argv, env = {}) => readInvocation(argv, env, files)
  const run = (...argv: readonly string[]) => runCommand({ ...folder, files, invoke }, argv)
  const check = (...argv: readonly string[]) => run('config', 'check', ...argv)
  return { files, invoke, run, check, [Symbol.dispose]: folder[Symbol.dispose] }
}

const UNIT = '/etc/systemd/system/prepd.service'
const INSTALLED = {
  [UNIT]: SHIPPED,
  '/etc/prepd/prepd.toml': 'service_name = "of-the-file"\n',
  '/etc/prepd/prepd.env': '# ours\nPREPD_VENUE_SEED="7"\n\nPREPD_LOG=warn\n',
  '/etc/credstore/prepd.operator_key': `${KEY}\n`,
  '/var/lib/prepd/kept': '',
}

describe('--unit', () => {
  test('gives a command the settings, files and credentials of the unit that is shipped, and names all that was read', async () => {
    using own = machine(INSTALLED)
    const { lines, exitCode } = await own.check('--unit', 'prepd.service', '--data-dir', '/')
    expect(lines).toEqual([
      'ok',
      'http on 127.0.0.1:8080, the embedded venue, data in /',
      `read: ${UNIT}, /etc/prepd/prepd.env, /etc/credstore/prepd.operator_key, /etc/prepd/prepd.toml`,
    ])
    expect(exitCode).toBe(0)
    const argv = ['--mode', 'admin', 'status', '--unit', 'prepd.service']
    const { settings, entries } = running(own.invoke(argv))
    expect(settings.operatorKeys).toEqual([KEY])
    expect(settings.serviceName).toBe('of-the-file')
    expect(entries).toContainEqual(expect.objectContaining({ name: 'VENUE_SEED', text: '7' }))
    expect(lines.join()).not.toContain(KEY)
  })

  test('takes a file before it is installed, and a flag of the command line beats it', () => {
    using own = machine({ ...INSTALLED, '/here/new.service': SHIPPED })
    const argv = ['--mode', 'admin', 'status', '--unit', '/here/new.service']
    expect(running(own.invoke([...argv, '--data-dir', '/'])).settings.dataDir).toBe('/')
    expect(running(own.invoke(argv)).settings.dataDir).toBe('/var/lib/prepd')
  })

  test('does not see the shell that runs the command', () => {
    using own = machine(INSTALLED)
    const argv = ['--mode', 'admin', 'status', '--unit', 'prepd.service']
    const { settings } = running(own.invoke(argv, { PREPD_SERVICE_NAME: 'of-the-shell' }))
    expect(settings.serviceName).toBe('of-the-file')
  })

  test('adds drop-ins by their names; an empty value drops those before it, and a file beats Environment=', () => {
    using own = machine({
      ...INSTALLED,
      '/etc/prepd/tls.crt': selfSigned.certificate,
      '/etc/prepd/tls.key': 'key',
      '/etc/prepd/more.env': "PREPD_LOG='error'\n",
      '/usr/lib/systemd/system/prepd.service.d/10-a.conf':
        '[Service]\nEnvironment=PREPD_SERVICE_NAME=beaten\n',
      '/etc/systemd/system/prepd.service.d/10-a.conf': `[Unit]
Environment=PREPD_PAGE=on
[Service]
Environment="PREPD_BROKER_ID=a_broker" PREPD_LOG=debug \\
# a comment within
  PREPD_POINTS=on
UnsetEnvironment=PREPD_VENUE_SEED
EnvironmentFile=/etc/prepd/more.env
`,
      '/etc/systemd/system/prepd.service.d/20-tls.conf': `[Service]
LoadCredential=tls_cert:/etc/prepd/tls.crt
LoadCredential=tls_key:/etc/prepd/tls.key
Environment=PREPD_TLS_CERT=%d/tls_cert PREPD_TLS_KEY=%d/tls_key
ExecStart=
ExecStart=/usr/bin/prepd --listen \${HERE}:8443
Environment=HERE=127.0.0.1
`,
    })
    const argv = ['--mode', 'admin', 'status', '--unit', 'prepd.service']
    const { settings, entries } = running(own.invoke(argv))
    expect(settings).toMatchObject({
      ...{ brokerId: 'a_broker', points: true, serviceName: 'prepd' },
      tls: { cert: '/etc/prepd/tls.crt', key: '/etc/prepd/tls.key' },
      listen: { host: '127.0.0.1', port: 8443 },
      log: { level: 'error' },
    })
    expect(entries.find(({ name }) => name === 'VENUE_SEED')?.origin).toBe('default')
  })

  test('says of an encrypted credential that only systemd can open it', async () => {
    using own = machine({
      ...INSTALLED,
      [UNIT]: `${SHIPPED}\n[Service]\nLoadCredentialEncrypted=prepd.swap_key:/etc/a-file\n`,
    })
    const { lines } = await own.check('--unit', 'prepd.service')
    expect(lines.at(-1)).toBe(
      'warning: LoadCredentialEncrypted=prepd.swap_key was not read: only systemd can open it',
    )
  })

  const ENCRYPTED = `${SHIPPED}
[Service]
LoadCredential=tls_cert:/etc/prepd/tls.crt
LoadCredentialEncrypted=tls_key:/etc/prepd/tls.key.cred
LoadCredentialEncrypted=key:/etc/prepd/key.cred
Environment=PREPD_TLS_CERT=%d/tls_cert PREPD_TLS_KEY=%d/tls_key PREPD_OPERATOR_KEY_FILE=%d/key
`
  const NOT_READ = [
    'LoadCredentialEncrypted=tls_key was not read: only systemd can open it',
    'LoadCredentialEncrypted=key was not read: only systemd can open it, so PREPD_OPERATOR_KEY_FILE is left out',
  ]

  test('says of encrypted credentials that settings name by %d what was left out, and calls no certificate missing', async () => {
    using own = machine({
      ...INSTALLED,
      [UNIT]: ENCRYPTED,
      '/etc/prepd/tls.crt': selfSigned.certificate,
    })
    const { lines, exitCode } = await own.check('--unit', 'prepd.service', '--data-dir', '/')
    expect(lines.slice(-2)).toEqual(NOT_READ.map((line) => `warning: ${line}`))
    expect([lines[0], exitCode]).toEqual(['ok', 0])
  })

  test('leaves out the settings of credentials that a glob imports, and none of a credential that is a file', async () => {
    const imported = `${SHIPPED}
[Service]
ImportCredential=%N.*
Environment=PREPD_SWAP_KEY_FILE=%d/prepd.swap_key
`
    using own = machine({ ...INSTALLED, [UNIT]: imported })
    const { lines, exitCode } = await own.check('--unit', 'prepd.service', '--data-dir', '/')
    expect(lines.at(-1)).toBe(
      'warning: ImportCredential=prepd.* was not read: only systemd can open it, so PREPD_SWAP_KEY_FILE is left out',
    )
    expect(exitCode).toBe(0)
    const argv = ['--mode', 'admin', 'status', '--unit', 'prepd.service']
    expect(running(own.invoke(argv)).settings.operatorKeys).toEqual([KEY])
  })

  test('of doctor names the files that the findings are of, and what it could not read', async () => {
    using own = machine({
      ...INSTALLED,
      [UNIT]: ENCRYPTED,
      '/etc/prepd/tls.crt': selfSigned.certificate,
    })
    const argv = ['doctor', '--unit', 'prepd.service', '--data-dir', '/', '--json']
    const { lines } = await own.run(...argv)
    const { findings } = JSON.parse(lines.join(''))
    const seen = (id: string) =>
      findings.flatMap((finding: Record<string, string>) =>
        finding['id'] === id ? [`${finding['state']} ${finding['seen']}`] : [],
      )
    expect(seen('unit')).toEqual([
      `ok read: ${UNIT}, /etc/prepd/prepd.env, /etc/credstore/prepd.operator_key, /etc/prepd/tls.crt`,
      ...NOT_READ.map((line) => `warn ${line}`),
    ])
    expect(seen('tls')).toEqual([
      expect.stringMatching(
        /^ok the certificate ends on \d{4}-\d\d-\d\d; its encrypted key was not looked at$/,
      ),
    ])
    expect(seen('operator_key')).toEqual([expect.stringMatching(/^ok /)])
    expect(lines.join()).not.toContain(KEY)
  })

  test('of doctor refuses a file without a certificate beside an encrypted key, and looks at no encrypted certificate', async () => {
    const tlsFindings = async (unit: string) => {
      using own = machine({ ...INSTALLED, [UNIT]: unit, '/etc/prepd/tls.crt': 'no certificate' })
      const argv = ['doctor', '--unit', 'prepd.service', '--data-dir', '/', '--json']
      const { findings } = JSON.parse((await own.run(...argv)).lines.join(''))
      return findings.filter(({ id }: Record<string, string>) => id === 'tls')
    }
    expect(await tlsFindings(ENCRYPTED)).toMatchObject([
      { state: 'fail', seen: expect.stringContaining('no certificate in PEM') },
    ])
    const both = ENCRYPTED.replace('\nLoadCredential=tls_', '\nLoadCredentialEncrypted=tls_')
    expect(await tlsFindings(both)).toMatchObject([
      { state: 'warn', seen: expect.stringContaining('PREPD_TLS_CERT is an encrypted credential') },
    ])
  })

  test('of doctor finds what is wrong in the unit, and without --unit nothing of it', async () => {
    const wrong = `${SHIPPED}\n[Service]\nEnvironment=PREPD_OPS_LISTEN=0.0.0.0:8081\n`
    using own = machine({ ...INSTALLED, [UNIT]: wrong })
    const states = async (...argv: readonly string[]) => {
      const { lines } = await own.run('doctor', ...argv, '--data-dir', '/', '--json')
      return JSON.parse(lines.join('')).findings.flatMap((finding: Record<string, string>) =>
        finding['id'] === 'ops_listener' || finding['id'] === 'unit'
          ? [`${finding['id']} ${finding['state']}`]
          : [],
      )
    }
    expect(await states('--unit', 'prepd.service')).toEqual(['unit ok', 'ops_listener warn'])
    expect(await states()).toEqual(['ops_listener ok'])
  })

  test.each([
    [
      'an unknown unit',
      'other.service',
      {},
      '--unit other.service is in no folder of systemd: name its file, such as ./other.service',
    ],
    [
      'a file that is absent',
      '/nowhere/prepd.service',
      {},
      '/nowhere/prepd.service of --unit cannot be read, or is larger than 1 MiB',
    ],
    [
      'a unit of nothing',
      'prepd.service',
      { [UNIT]: '' },
      `${UNIT} has no ExecStart: it is no unit of prepd`,
    ],
    [
      'an environment file that is absent',
      'prepd.service',
      { [UNIT]: '[Service]\nExecStart=prepd\nEnvironmentFile=/gone.env' },
      '/gone.env of --unit cannot be read, or is larger than 1 MiB',
    ],
    [
      'a credential whose file is absent',
      'prepd.service',
      { [UNIT]: '[Service]\nExecStart=prepd\nLoadCredential=prepd.swap_key:/gone' },
      'LoadCredential=prepd.swap_key:/gone: the file does not exist',
    ],
    [
      'a specifier that is not known',
      'prepd.service',
      { [UNIT]: '[Service]\nExecStart=prepd\nEnvironment=PREPD_DATA_DIR=%h' },
      '%h in the unit is not known here: write out what it stands for',
    ],
    [
      'a setting that does not exist',
      'prepd.service',
      { [UNIT]: '[Service]\nExecStart=prepd\nEnvironment=PREPD_LISTENN=x' },
      'PREPD_LISTENN is not a setting; did you mean PREPD_LISTEN?',
    ],
  ] as const)('refuses %s', (_, name, texts, line) => {
    using own = machine(texts)
    const argv = ['--mode', 'admin', 'config', 'check', '--unit', name]
    expect(refusal(own.invoke(argv))).toEqual([`prepd: ${line}`])
  })

  test('is of commands alone', () => {
    using own = machine(INSTALLED)
    expect(refusal(own.invoke(['--unit', 'prepd.service']))).toEqual([
      'prepd: --unit goes with a command',
    ])
  })
})

test.each([
  ['unit', { [UNIT]: SHIPPED }, UNIT],
  ['file of the unit', { '/etc/prepd/prepd.toml': '' }, '/etc/prepd/prepd.toml'],
])(
  'config check of a shell says which %s it did not read, and what to run',
  async (_, texts, path) => {
    using own = machine({ ...texts, '/data/kept': '' })
    const { lines } = await own.check('--data-dir', '/data')
    expect(lines.at(-1)).toBe(
      `warning: ${path} was not read. Run: sudo prepd --mode admin config check --unit prepd.service`,
    )
    expect(dirname(path)).toStartWith('/etc')
  },
)
