import { SETTING_ROWS, type SettingRow } from '../src/contract/settings.ts'
import { settingVariable } from '../src/core/settings/sources.ts'

/**
 * The example files. A line `#key = value` holds a default and may be uncommented as it is; a line `# key = …` has
 * no default and waits for a value.
 */
export function exampleToml(): string {
  return [
    '# Settings of prepd: prepd --config prepd.toml',
    '# Every line starting with #name shows the default. Flags and PREPD_ variables beat this file.',
    '# Secrets do not stand here: name a file that only its owner can read.',
    ...SETTING_ROWS.map((row) =>
      entry(row, (name, value) => `${name.toLowerCase()} = ${JSON.stringify(value)}`),
    ),
    '',
  ].join('\n')
}

/** The same as environment variables, in the syntax of systemd's EnvironmentFile and of container env files. */
export function exampleEnv(): string {
  return [
    '# Settings of prepd as environment variables. Keep this file 0600 when it holds a secret.',
    '# Every line starting with #PREPD_ or #OTEL_ shows the default.',
    ...SETTING_ROWS.map((row) => entry(row, (name, value) => `${settingVariable(name)}=${value}`)),
    '',
  ].join('\n')
}

function entry(row: SettingRow, written: (name: string, value: string) => string): string {
  const { name, default: fallback, meaning, secret } = row
  if (typeof fallback === 'string') return `\n# ${meaning}\n#${written(name, fallback)}`
  const sample = secret ? written(`${name}_FILE`, '/etc/prepd/secret') : written(name, '...')
  const unset = fallback.absent === 'none' ? '' : ` Not set: ${fallback.absent}.`
  return `\n# ${meaning}${unset}\n# ${sample}`
}
