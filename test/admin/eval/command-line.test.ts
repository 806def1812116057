// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { CommandWorld } from '../../../src/admin/command/command.ts'
import { commandWorld } from '../../../src/wiring/command-world.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { runCommand } from '../run-command.ts'

const WORLD = commandWorld({
  clock: { nowMs: Date.now },
  random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
  monotonicMs: () => performance.now(),
})

const PRACTICE = new URL('../../../src/wiring/practice.ts', import.meta.url).pathname

let folder: ReturnType<typeof settingsFolder>
beforeEach(() => {
  folder = settingsFolder()
})
afterEach(() => folder[Symbol.dispose]())

const FILE = `
name = "short"
task = "Trade."
seeds = [7, 8]
markets = ["PERP_ETH_USDC"]
activity = "sparse"
length = "10m"
step = "5m"
[[criteria]]
figure = "orders"
at_most = 0
`

/** Runs a command of evaluations on the file, with its results in a folder. */
function evaluate(command: string, flags: readonly string[], world: CommandWorld = WORLD) {
  const words = ['eval', command, folder.write('short.toml', FILE), '--out', folder.path('out')]
  return runCommand(folder, [...words, ...flags], {}, world)
}

describe('a command line of an evaluation', () => {
  test.each([
    ['run', ['--agent', 'hold', '--seed', '9'], '--seed must be one of the seeds of the file'],
    ['run', ['--agent', 'hold', '--workers', '0'], '--workers must be at least 1'],
    [
      'run',
      ['--agent', 'oracle'],
      '--agent must be hold, random, momentum, maker, a command such as "node agent.mjs", or an address such as http://localhost:9000/',
    ],
    ['replay', ['--seed', '9'], '--seed must be one of the seeds of the file'],
  ])('%s %j is refused by name', async (command, flags, line) => {
    expect(await evaluate(command, flags)).toEqual({ exitCode: 64, lines: [line] })
  })

  test('names a run and a result that there are not', async () => {
    const replayed = await evaluate('replay', [])
    expect(replayed.lines).toEqual([
      `there is no run of seed 7 in ${folder.path('out')}: eval run makes it`,
    ])
    const words = ['eval', 'compare', folder.path('one'), '--with', folder.path('two')]
    expect((await runCommand(folder, words, {}, WORLD)).lines).toEqual([
      `there is no ${folder.path('one')}/result.json: eval run writes it when all seeds were run`,
    ])
  })

  test('with a folder that cannot be written is refused before anything runs', async () => {
    folder.write('out', 'a file')
    expect(await evaluate('run', ['--agent', 'hold'])).toEqual({
      exitCode: 64,
      lines: [`${folder.path('out')} is no folder that can be written`],
    })
  })

  test('of one seed is judged too', async () => {
    const held = await evaluate('run', ['--agent', 'hold', '--seed', '7'])
    expect(held.exitCode).toBe(1)
    expect(held.lines.slice(-2)).toEqual([
      'missed  orders at most 0, every seed (seeds 7)',
      'failed',
    ])
  })

  test('names a program as the agent, and says on which seeds it failed and where it said why', async () => {
    const agent = folder.write('agent.mjs', 'console.error("no model"); process.exit(3)')
    const { exitCode, lines } = await evaluate('run', ['--agent', `${process.execPath} ${agent}`])
    expect(exitCode).toBe(0)
    const one = await evaluate('run', ['--agent', `${process.execPath} ${agent}`, '--seed', '8'])
    expect(one.lines.at(-1)).toStartWith('the agent did not finish on seeds 8; see ')
    const out = folder.path('out')
    expect(lines).toContain(
      `the agent did not finish on seeds 7, 8; see its errors in ${out}/seed-*.errors`,
    )
    expect(readFileSync(`${out}/seed-8.errors`, 'utf8')).toBe('no model\n')
  })
})

test('a run that is interrupted ends the processes of its seeds, and judges nothing', async () => {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  const ended: string[] = []
  const world: CommandWorld = {
    ...WORLD,
    interrupted: () => interrupted,
    runCommand: (words, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended.push(words.join(' '))
          resolve({ exitCode: 143, stdout: '' })
        })
        interrupt()
      }),
  }
  const { exitCode, lines } = await evaluate('run', ['--agent', 'hold', '--workers', '1'], world)
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: ['interrupted; nothing is judged'] })
  expect(ended).toHaveLength(1)
  expect(ended[0]).toContain('--seed 7')
})

test("an agent's program ends with the process that started it, which a signal ends as ever", async () => {
  const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  using listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => opened.resolve(), data: () => undefined, close: () => closed.resolve() },
  })
  const agent = `
    process.on('SIGTERM', () => {})
    require('node:net').connect(${listener.port}, '127.0.0.1')`
  const starter = `
    import { startProgramIn } from ${JSON.stringify(PRACTICE)}
    const command = [process.execPath, '-e', ${JSON.stringify(agent)}]
    startProgramIn(process.env)(command, {}, ${JSON.stringify(folder.path('errors'))})`
  const started = Bun.spawn([process.execPath, '-e', starter])
  await opened.promise
  started.kill('SIGTERM')
  await started.exited
  expect(started.signalCode).toBe('SIGTERM')
  await closed.promise
})
