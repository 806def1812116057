import { afterAll, describe, expect, test } from 'bun:test'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { settingVariable } from '../../src/core/settings/sources.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import { settingsFolder } from '../settings-folder.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

describe('the completion of bash', () => {
  /** What bash offers after these words, the last of which is being typed. */
  async function offered(...words: string[]): Promise<string[]> {
    const { lines } = await runCommand(folder, ['completion', 'bash'])
    const script = `${lines.join('\n')}
COMP_WORDS=(prepd ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_prepd; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = Bun.spawnSync(['bash', '-c', script], { cwd: folder.path('.') })
    return stdout.toString().trim().split('\n')
  }

  test.each([
    { words: ['--mode', 'a'], offers: ['admin'] },
    { words: ['--mode', 'admin', 'ba'], offers: ['backup', 'backups'] },
    { words: ['--mode', 'admin', 'limits', 's'], offers: ['show', 'set'] },
    { words: ['--mode', 'admin', 'limits', 'set', '--pol'], offers: ['--policy'] },
    { words: ['--mode', 'admin', '--data-dir', 'x', 'rotate', 'o'], offers: ['operator'] },
    { words: ['--mode', 'admin', 'nothing-of-the-kind'], offers: [''] },
  ])('offers $offers after $words', async ({ words, offers }) => {
    expect((await offered(...words)).toSorted()).toEqual(offers.toSorted())
  })

  test('knows every command and every flag that is no secret', async () => {
    const { lines } = await runCommand(folder, ['completion', 'bash'])
    const script = lines.join('\n')
    for (const { path } of operatorCommands()) expect(script).toContain(`'${path}')`)
    for (const { name, secret } of SETTING_ROWS) {
      const flag = `--${name.toLowerCase().replaceAll('_', '-')}`
      expect(script.includes(`${flag} `)).toBe(!secret)
    }
  })
})

test.each(['zsh', 'fish'])('the completion of %s names every command', async (shell) => {
  const { lines, exitCode } = await runCommand(folder, ['completion', shell])
  const script = lines.join('\n')
  expect(exitCode).toBe(0)
  for (const { path } of operatorCommands())
    for (const word of path.split(' ')) expect(script).toContain(word)
})

test('fish is asked where it is in one place, with an answer that is a word even where it is none', async () => {
  const { lines } = await runCommand(folder, ['completion', 'fish'])
  expect(lines.filter((line) => line.includes('(__prepd_path)'))).toEqual([
    '  set -l path (__prepd_path)',
  ])
  expect(lines).toContain('  test "$path" = "$argv[1]"')
  const offered = lines.filter((line) => line.includes(`"__prepd_at ''" -a`))
  const words = offered.map((line) => / -a (\S+)/.exec(line)?.[1])
  expect(words.toSorted()).toEqual(
    [...new Set(operatorCommands().map(({ path }) => path.split(' ')[0]))].toSorted(),
  )
})

test('there is no completion of another shell', async () => {
  expect((await runCommand(folder, ['completion', 'tcsh'])).exitCode).toBe(64)
})

test('the manual page names every setting and command, and has no line that roff would take for its own', async () => {
  const { lines } = await runCommand(folder, ['man'])
  const page = lines.join('\n')
  for (const { name } of SETTING_ROWS) expect(page).toContain(settingVariable(name))
  for (const { path } of operatorCommands()) expect(page).toContain(path.replaceAll('-', '\\-'))
  const macros = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0])
  expect([...new Set(macros)].toSorted()).toEqual(['.B', '.RE', '.RS', '.SH', '.TH', '.TP'])
})
