import { describe, expect, test } from 'bun:test'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import { commandLines, helpText } from '../../src/operator/command/help.ts'

describe('the help text', () => {
  const lines = helpText(operatorCommands()).split('\n')

  test('has one line for each setting and each command', () => {
    for (const { name, secret } of SETTING_ROWS) {
      const flag = `--${name.toLowerCase().replaceAll('_', '-')}${secret ? '-file' : ''}`
      expect(lines.filter((line) => line.startsWith(`  ${flag} `))).toHaveLength(1)
    }
    for (const line of commandLines(operatorCommands())) expect(lines).toContain(`  ${line}`)
  })

  test('never offers a secret as a flag', () => {
    for (const { name } of SETTING_ROWS.filter((row) => row.secret)) {
      expect(helpText(operatorCommands())).not.toContain(
        `--${name.toLowerCase().replaceAll('_', '-')} `,
      )
    }
  })

  test('says what needs no settings', () => {
    expect(lines[3]).toBe('prepd --help | --version [--json] | --licenses   need no settings')
  })

  test('is aligned, without Markdown or trailing blanks, and fits a wide terminal', () => {
    for (const line of lines) expect(line).toMatch(/^[^`]{0,119}[^`\s]$|^$/)
    const column = (line: string) => /^ {2}--\S+ +/.exec(line)?.[0].length
    const settings = lines.slice(lines.findIndex((line) => line.startsWith('  --listen ')))
    const columns = settings.slice(0, SETTING_ROWS.length).map(column)
    expect(new Set(columns).size).toBe(1)
  })
})

test('each command is named once, and its flags are no settings', () => {
  const paths = operatorCommands().map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  const settings = SETTING_ROWS.map(({ name }) => `--${name.toLowerCase().replaceAll('_', '-')}`)
  for (const { flag } of operatorCommands().flatMap((command) => command.arguments)) {
    expect(settings).not.toContain(flag)
    expect(flag).toMatch(/^--[a-z]+(-[a-z]+)*$/)
  }
})
