import { describe, expect, test } from 'bun:test'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import {
  COMMAND_NAMES,
  type CommandRow,
  VALUE_EXAMPLES,
  VENUE_COMMANDS,
} from '../../src/contract/venue/commands.ts'
import { FAULTS } from '../../src/contract/venue/faults.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import { commandHelp, commandLines, helpText } from '../../src/operator/command/help.ts'
import { readValues } from '../../src/simulator/control/values.ts'

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

describe('the help of one command', () => {
  const helpOf = (path: string) =>
    commandHelp(operatorCommands().filter((row) => row.path === path))

  test('shows its usage with required options, an example, and the values of a kind', () => {
    const text = helpOf('venue faults add')
    expect(text).toContain('Usage:    prepd --mode admin venue faults add --kind KIND [OPTIONS]')
    expect(text).toContain('Example:  prepd --mode admin venue faults add --kind delay')
    for (const [kind, { meaning }] of Object.entries(FAULTS))
      expect(text).toMatch(
        new RegExp(`^  ${kind} +${RegExp.escape(meaning.replaceAll('`', ''))}$`, 'm'),
      )
    expect(helpOf('explain')).toContain('Usage:    prepd --mode admin explain FILE\n')
    expect(helpOf('venue hash')).toContain('Example:  prepd --mode admin venue hash')
    expect(commandHelp(operatorCommands())).not.toContain('Usage:')
  })

  test.each(operatorCommands().map((command) => [command.path, command] as const))(
    '%s has an example with its operand and required options, and no others',
    (_, { operand, arguments: flags, required = [], example = '' }) => {
      const known = flags.map(({ flag }) => flag)
      const given = [...example.matchAll(/(?<=^| )--[a-z-]+/g)].map(([flag]) => flag)
      expect(given.filter((flag) => !known.includes(flag))).toEqual([])
      expect(required.filter((flag) => !known.includes(flag))).toEqual([])
      expect(required.filter((flag) => !given.includes(flag))).toEqual([])
      expect(/^[^-]/.test(example)).toBe(operand !== undefined)
    },
  )

  test.each(COMMAND_NAMES)('the example of venue %s has values that the venue accepts', (name) => {
    const { parameters }: CommandRow = VENUE_COMMANDS[name]
    const given = Object.entries(parameters).map(
      ([parameter, { kind }]) => [parameter, VALUE_EXAMPLES[kind].replaceAll('"', '')] as const,
    )
    expect(() => readValues(name, Object.fromEntries(given))).not.toThrow()
  })
})
