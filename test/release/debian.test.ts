// Slow: a package is installed and removed, and its service started, several times.
import { expect } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { packagesIn, served, standIn } from './packing.ts'

const { afterAll, beforeAll, test } = testsNeeding('the Debian package', 'dpkg', 'dpkg-deb')

const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const at = (path: string): string => join(root, path)

/** What systemd does with the unit, as far as the package's scripts ask for it: one service, started by its ExecStart. */
const SYSTEMCTL = `#!/bin/sh
set -e
echo "$*" >>"$TEST_CALLS"
if [ -e "$DPKG_ROOT/run/broken" ]; then exit 1; fi
unit="$DPKG_ROOT/lib/systemd/system/prepd.service"
pid="$DPKG_ROOT/run/prepd.pid"
start() {
    line=$(sed -n 's/^ExecStart=//p' "$unit")
    : >"$DPKG_ROOT/run/output"
    PREPD_DATA_DIR="$DPKG_ROOT/var/lib/prepd" PREPD_LISTEN=127.0.0.1:0 PREPD_OPS_LISTEN=off \\
        "$DPKG_ROOT/\${line%% *}" --config "$DPKG_ROOT/etc/prepd/prepd.toml" >"$DPKG_ROOT/run/output" 2>&1 &
    echo $! >"$pid"
    until grep -q listening "$DPKG_ROOT/run/output"; do sleep 0.05; done
}
stop() {
    kill "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done
    rm "$pid"
}
case "$*" in
'enable --now prepd.service') start ;;
'try-restart prepd.service') if [ -e "$pid" ]; then stop; start; fi ;;
'disable --now prepd.service') if [ -e "$pid" ]; then stop; fi ;;
esac
`

let packages: readonly string[] = []

beforeAll(() => {
  for (const path of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'run/systemd/system', 'bin'])
    mkdirSync(at(path), { recursive: true })
  writeFileSync(at('var/lib/dpkg/status'), '')
  writeFileSync(join(folder.path, 'systemctl'), SYSTEMCTL)
  chmodSync(join(folder.path, 'systemctl'), 0o755)
  // Many megabytes to pack and unpack six times show nothing of the package: it becomes the executable that it starts.
  const executable = standIn(folder.path, `exec ${BINARY} "$@"`)
  packages = ['1.0.0', '1.1.0'].map((version) => {
    const packing = { target: 'linux-x64', executable, version }
    const [made = ''] = packagesIn(join(folder.path, version), packing, 'deb')
    return made
  })
})
afterAll(() => {
  if (existsSync(at('run/prepd.pid')))
    process.kill(Number(readFileSync(at('run/prepd.pid'), 'utf8')))
  folder[Symbol.dispose]()
})

/** dpkg in a root of its own, where only the package's own scripts run. */
function dpkg(...args: string[]): void {
  // The C library of the machine stands in for the one the package depends on.
  const force = ['script-chrootless', 'not-root', 'depends', 'architecture', 'confold']
  const argv = [
    needProgram('dpkg'),
    `--root=${root}`,
    '--log=/dev/null',
    `--force-${force.join(',')}`,
  ]
  const env = {
    PATH: `${folder.path}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    TEST_CALLS: join(folder.path, 'calls'),
  }
  const { exitCode, stderr } = Bun.spawnSync([...argv, ...args], { env, stdout: 'ignore' })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** What the executable prints of itself. */
function printed(...command: string[]): string {
  const { stdout } = Bun.spawnSync([BINARY, '--mode', 'admin', ...command], { env: {} })
  return stdout.toString()
}

const addressPrinted = (): string =>
  /listening on (\S+)/.exec(readFileSync(at('run/output'), 'utf8'))?.[1] ?? ''

test('the package installs, starts, upgrades, and goes, and leaves what is the operator’s', async () => {
  const [first = '', next = ''] = packages
  dpkg('--install', first)
  const started = addressPrinted()
  await served(started)

  const shared = (path: string) => readFileSync(at(`usr/share/${path}`))
  const page = gunzipSync(shared('man/man1/prepd.1.gz')).toString()
  expect(page).toBe(printed('man').replace(/^(\.TH .*"prepd )[^"]*/, '$11.0.0'))
  expect(shared('bash-completion/completions/prepd').toString()).toBe(printed('completion', 'bash'))

  const settings = at('etc/prepd/prepd.toml')
  writeFileSync(settings, `# mine\n${readFileSync(settings, 'utf8')}`)
  dpkg('--install', next)
  await expect(fetch(`${started}/api/prep/markets`)).rejects.toThrow()
  await served(addressPrinted())
  expect(readFileSync(settings, 'utf8')).toStartWith('# mine\n')

  const running = addressPrinted()
  dpkg('--remove', 'prepd')
  await expect(fetch(`${running}/api/prep/markets`)).rejects.toThrow()
  for (const path of [
    'bin/prepd',
    'share/man/man1/prepd.1.gz',
    'share/bash-completion/completions',
  ])
    expect(existsSync(at(`usr/${path}`))).toBe(false)
  expect(existsSync(at('var/lib/prepd/prepd.sqlite'))).toBe(true)
  expect(existsSync(settings)).toBe(true)

  dpkg('--purge', 'prepd')
  expect(existsSync(at('var/lib/prepd'))).toBe(false)
  expect(existsSync(settings)).toBe(false)
  expect(readFileSync(join(folder.path, 'calls'), 'utf8').trim().split('\n')).toEqual([
    'daemon-reload',
    'is-enabled prepd.service',
    'enable --now prepd.service',
    'daemon-reload',
    'is-enabled prepd.service',
    'try-restart prepd.service',
    'disable --now prepd.service',
    'daemon-reload',
  ])
})

test('a service that does not start or stop fails no installation, upgrade or removal', () => {
  const [first = '', next = ''] = packages
  writeFileSync(at('run/broken'), '')
  for (const act of [
    ['--install', first],
    ['--install', next],
    ['--remove', 'prepd'],
    ['--purge', 'prepd'],
  ])
    dpkg(...act)
  const status = readFileSync(at('var/lib/dpkg/status'), 'utf8')
  expect(status).not.toMatch(/half-configured|half-installed/)
  expect(existsSync(at('usr/bin/prepd'))).toBe(false)
})
