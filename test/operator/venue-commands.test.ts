import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { VENUE_COMMANDS } from '../../src/contract/venue/commands.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import { settingsFolder } from '../settings-folder.ts'
import { OPERATOR_KEY } from '../surface/venue-fixture.ts'
import { openTarget, type Target } from '../target.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const KEY = { PREPD_OPERATOR_KEY: OPERATOR_KEY }

describe('the words of the embedded venue as commands', () => {
  const folder = settingsFolder()
  let target: Target
  beforeAll(async () => {
    const settings = { OPERATOR_KEY, VENUE_CLOCK: 'virtual', LIMIT_ADMIN: 'off' }
    target = await openTarget('in process', settings)
  })
  afterAll(async () => {
    folder[Symbol.dispose]()
    await target.stop()
  })

  const transport = async (request: Request) => {
    const { method, headers } = request
    return target.fetch(new URL(request.url).pathname, {
      method,
      headers,
      body: await request.text(),
    })
  }
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = KEY) =>
    runCommand(folder, ['venue', ...argv], env, { ...NO_NETWORK, transport })

  test('each word is a command, with a flag for each of its parameters', () => {
    for (const [name, { parameters }] of Object.entries(VENUE_COMMANDS)) {
      const command = operatorCommands().find(({ path }) => path === `venue ${name}`)
      const flags = command?.arguments.map(({ flag }) => flag)
      expect(flags).toEqual(['--url', ...Object.keys(parameters).map((each) => `--${each}`)])
    }
  })

  test('what the server says is printed, rows as a table', async () => {
    const { lines, exitCode } = await run([
      'price',
      'shock',
      '--symbol',
      'PERP_ETH_USDC',
      '--share',
      '-10%',
    ])
    expect(exitCode).toBe(0)
    expect(lines[0]).toMatch(/^SYMBOL +STATUS +INDEX PRICE +MARK PRICE$/)
    expect(lines[1]).toMatch(/^PERP_ETH_USDC +ACTIVE +[\d.]+ +[\d.]+$/)
    expect((await run(['faults', 'list'])).lines).toEqual(['rows: none'])
    expect((await run(['snapshot', '--name', 'one'])).lines.at(-1)).toBe('names: one')
    expect((await run(['snapshot', '--name', 'two'])).lines.at(-1)).toBe('names: one, two')
    const { lines: checked, exitCode: sound } = await run(['check'])
    expect(checked.join('\n')).toMatch(/hash +[0-9a-f]{64}\nevents +\d+\nbroken: none/)
    expect(sound).toBe(0)
  })

  test.each([
    [['price', 'shock', '--symbol', 'PERP_ETH_USDC'], /^--share must be a share/],
    [['market', '--symbol', 'all', '--status', 'OPEN'], /^--status must be one of ACTIVE/],
    [['clock', 'advance', '--by', 'soon'], /^--by must be a duration/],
  ] as const)('%p is refused before the server is asked', async (argv, refusal) => {
    const world = { ...NO_NETWORK }
    const { lines, exitCode } = await runCommand(folder, ['venue', ...argv], KEY, world)
    expect(exitCode).toBe(64)
    expect(lines[0]).toMatch(refusal)
  })

  test('without the operator’s key, on a live venue and with a wrong key nothing is sent', async () => {
    expect(await run(['hash'], {})).toMatchObject({ exitCode: 64 })
    const live = { ...KEY, PREPD_VENUE: 'https://venue.example' }
    expect((await run(['hash'], live)).lines[0]).toMatch(/live venue/)
    const wrong = await run(['hash'], {
      PREPD_OPERATOR_KEY: 'another-key-of-thirty-two-characters',
    })
    expect(wrong).toMatchObject({ exitCode: 1, lines: [expect.stringMatching(/^unauthorized/)] })
    const refused = await run(['restore', '--name', 'nothing'])
    expect(refused.lines[0]).toBe(
      'not_found: There is nothing here. (parameter name, names ["one","two"])',
    )
  })
})
