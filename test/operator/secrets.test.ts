import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { settingVariable } from '../../src/core/settings/sources.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import { runCommand } from '../../src/operator/command/output.ts'
import type { Invocation } from '../../src/settings.ts'
import { runs } from '../runs.ts'
import { settingsFolder } from '../settings-folder.ts'
import { NO_NETWORK } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const SECRETS = SETTING_ROWS.filter(({ secret }) => secret).map(({ name }) => name)

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`

/** Every way in which a secret gets to the program, rightly or by mistake. */
const WAYS: readonly ((name: string, secret: string) => Invocation)[] = [
  (name, secret) => folder.invoke([], { [settingVariable(name)]: secret }),
  (name, secret) =>
    folder.invoke(['--mode', 'mcp'], {
      [settingVariable(name)]: secret,
      SERVICE_TRADING_KEY: secret,
    }),
  (name, secret) =>
    folder.invoke([], { [settingVariable(`${name}_FILE`)]: folder.write('secret', secret) }),
  (name, secret) =>
    folder.invoke([], { [settingVariable(`${name}_FILE`)]: folder.write('open', secret, 0o644) }),
  (name, secret) => folder.invoke([], { [settingVariable(`${name}_FILE`)]: secret }),
  (name, secret) => folder.invoke([], { [`PREPD_${name}X`]: secret }),
  (name, secret) => folder.invoke([`${flagOf(name)}=${secret}`]),
  (name, secret) => folder.invoke([flagOf(name), secret]),
  (name, secret) => folder.invoke([`${flagOf(name)}x=${secret}`]),
  (name, secret) => folder.invoke([`${flagOf(name)}-file`, secret]),
  (name, secret) => folder.invoke(['--config', toml(name, JSON.stringify(secret))]),
  (name, secret) => folder.invoke(['--config', toml(name, secret)]),
  (name, secret) => folder.invoke(['--config', toml(name, `"${secret}`)]),
  (name, secret) => folder.invoke(['--config', toml(`${name}_FILE`, JSON.stringify(secret))]),
  // The same secret in the wrong place: a setting of another kind.
  (_, secret) =>
    folder.invoke(
      [],
      Object.fromEntries(['LISTEN', 'VENUE', 'LOG'].map((name) => [`PREPD_${name}`, secret])),
    ),
  (_, secret) => folder.invoke(['--venue', `https://user:${secret}@venue.example`]),
]

function toml(name: string, value: string): string {
  return folder.write('secret.toml', `log = "info"\n${name.toLowerCase()} = ${value}\n`)
}

async function printed(invocation: Invocation): Promise<string> {
  if (invocation.kind === 'refusal') return invocation.lines.join('\n')
  if (invocation.kind !== 'run') return ''
  const lines: string[] = []
  const { settings, entries } = invocation
  const print = (line: string) => void lines.push(line)
  const deps = {
    json: false,
    ...{ print, complain: print },
    settings,
    entries,
    unit: null,
    commands: operatorCommands(),
    files: folder.files,
    world: NO_NETWORK,
  }
  for (const command of operatorCommands().filter(({ path }) => path.startsWith('config'))) {
    await runCommand(command, new Map(command.arguments.map(({ flag }) => [flag, ''])), deps)
  }
  return lines.join('\n')
}

// Slow: a thousand generated secrets are given, each to a command that reads its settings anew.
test('a secret appears in no output, however it was given', async () => {
  const canary = fc
    .stringMatching(/^[A-Za-z0-9!#$%&'*+./:;<>?@^_|~-]{3,40}$/)
    .map((text) => `canary${text}`)
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytes.toHex())
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SECRETS),
      fc.oneof(canary, key),
      fc.constantFrom(...WAYS),
      async (name, secret, give) => {
        expect(await printed(give(name, secret))).not.toContain(secret)
      },
    ),
    { numRuns: runs(1000) },
  )
})
