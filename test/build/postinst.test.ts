import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { settingsFolder } from '../settings-folder.ts'

const POSTINST = new URL('../../config/debian/postinst', import.meta.url).pathname

/** What the script of the package prints where systemctl answers so, and what it asked systemctl. */
function installed(state: string, canStart: boolean, before = '') {
  using folder = settingsFolder()
  const [root, bin] = [folder.path('root'), folder.path('bin')]
  mkdirSync(`${root}/run/systemd/system`, { recursive: true })
  mkdirSync(bin)
  const answers = `is-enabled) echo ${state}; [ ${state} = enabled ] ;; enable|try-restart) ${canStart} ;;`
  const script = `#!/bin/sh\necho "$1" >&2\ncase "$1" in ${answers} esac\n`
  writeFileSync(`${bin}/systemctl`, script)
  chmodSync(`${bin}/systemctl`, 0o755)
  const { stdout, stderr, exitCode } = Bun.spawnSync(['sh', POSTINST, 'configure', before], {
    env: { PATH: `${bin}:/usr/bin:/bin`, DPKG_ROOT: root },
  })
  return { exitCode, text: `${stdout}${stderr}` }
}

test('a first installation starts the unit, an upgrade restarts one that runs, and neither has more to say', () => {
  const first = installed('disabled', true)
  expect(first.exitCode).toBe(0)
  expect(first.text).toContain('enable\n')
  expect(first.text).not.toContain('prepd')
  const upgrade = installed('enabled', true, '1.0.0')
  expect(upgrade.text).toContain('try-restart\n')
  expect(upgrade.text).not.toContain('enable\n')
})

test('a unit that does not start is no failure of the package, which says where to look', () => {
  const { exitCode, text } = installed('disabled', false)
  expect(exitCode).toBe(0)
  expect(text).toContain('journalctl -u prepd tells why')
  expect(text).toContain('Mend /etc/prepd/prepd.toml')
})

test('a masked unit is left alone, its settings are not blamed, and how to start it is said', () => {
  for (const before of ['', '1.0.0']) {
    const { exitCode, text } = installed('masked', false, before)
    expect(exitCode).toBe(0)
    expect(text).toContain(
      'masked. To start it: systemctl unmask prepd && systemctl enable --now prepd',
    )
    expect(text).not.toContain('Mend')
    expect(text).not.toMatch(/^(?:enable|try-restart)$/m)
  }
})
