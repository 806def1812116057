import { afterAll, describe, expect, test } from 'bun:test'
import { exampleEnv, exampleToml } from '../../build/example-settings.ts'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { settingVariable } from '../../src/core/settings/sources.ts'
import { running, settingsFolder } from '../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const DEFAULTS = running(folder.invoke([])).settings
const WITH_DEFAULT = SETTING_ROWS.filter((row) => typeof row.default === 'string').length

/** The lines that show a default, uncommented. */
function uncommented(example: string): string[] {
  return example
    .split('\n')
    .filter((line) => /^#\S/.test(line))
    .map((line) => line.slice(1))
}

describe('the example configuration', () => {
  test('changes nothing as it stands', () => {
    const path = folder.write('as-it-stands.toml', exampleToml())
    expect(running(folder.invoke(['--config', path])).settings).toEqual(DEFAULTS)
  })

  test('gives the defaults when every default is uncommented', () => {
    const lines = uncommented(exampleToml())
    const path = folder.write('uncommented.toml', lines.join('\n'))
    const { settings, entries } = running(folder.invoke(['--config', path]))
    expect(settings).toEqual(DEFAULTS)
    expect(entries.filter(({ origin }) => origin === 'file')).toHaveLength(WITH_DEFAULT)
  })

  test('gives the defaults as environment variables, too', () => {
    const pairs = uncommented(exampleEnv()).map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name, value.join('=')] as const
    })
    const { settings, entries } = running(folder.invoke([], Object.fromEntries(pairs)))
    expect(settings).toEqual(DEFAULTS)
    expect(entries.filter(({ origin }) => origin === 'environment')).toHaveLength(WITH_DEFAULT)
  })

  test('has a line for every setting, and never one for a secret itself', () => {
    for (const { name, secret } of SETTING_ROWS) {
      const key = `${name}${secret ? '_FILE' : ''}`
      expect(exampleToml()).toMatch(new RegExp(`^# ?${key.toLowerCase()} = `, 'm'))
      expect(exampleEnv()).toMatch(new RegExp(`^# ?${settingVariable(key)}=`, 'm'))
      if (secret) expect(exampleToml()).not.toMatch(new RegExp(`^# ?${name.toLowerCase()} = `, 'm'))
    }
  })
})
