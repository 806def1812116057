// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import type { ProcessResult } from '../../../src/core/ports.ts'
import { lockFile } from '../../../src/store/connection/instance-lock.ts'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { openEvaluations, SHORT } from './fixture.ts'

const PRACTICE = new URL('../../../src/main/practice.ts', import.meta.url).pathname

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname

const text = `${SHORT}[[criteria]]\nfigure = "orders"\nat_most = 0\n`

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations({ text })
})
afterEach(() => here[Symbol.dispose]())

describe('a command line of an evaluation', () => {
  test.each([
    ['run', ['--agent', 'hold', '--seed', '9'], '--seed must be one of the seeds of the file'],
    ['run', ['--agent', 'hold', '--workers', '0'], '--workers must be at least 1'],
    [
      'run',
      ['--agent', 'oracle'],
      '--agent must be hold, random, momentum, maker, a command such as "node agent.mjs", or an address such as http://localhost:9000/',
    ],
    ['run', ['--agent', 'hold', '--mcp', 'http'], '--mcp needs an agent with a command'],
    ['replay', ['--seed', '9'], '--seed must be one of the seeds of the file'],
  ])('%s %j is refused by name', async (command, flags, line) => {
    expect(await here.evaluate(command, '', 'out', ...flags)).toEqual({
      exitCode: 64,
      lines: [line],
    })
  })

  test('names a run and a result that there are not', async () => {
    const replayed = await here.evaluate('replay', '', 'out')
    expect(replayed.lines).toEqual([
      `there is no run of seed 7 in ${here.path('out')}: eval run makes it`,
    ])
    const [one, two] = [here.path('one'), here.path('two')]
    expect((await here.run('compare', one, '--with', two)).lines).toEqual([
      `there is no ${one}/result.json: eval run writes it when all seeds were run`,
    ])
  })

  test('with a folder that cannot be written is refused before anything runs', async () => {
    here.write('out', 'a file')
    expect(await here.evaluate('run', '', 'out', '--agent', 'hold')).toEqual({
      exitCode: 64,
      lines: [`${here.path('out')} is no folder that can be written`],
    })
  })

  test('is refused while another run, or one of its seeds, writes to the folder, and changes nothing there', async () => {
    await here.evaluate('run', '', 'out', '--agent', 'hold')
    const before = here.read('out/result.json')
    const locks = () => readdirSync(here.path('out')).filter((name) => name.endsWith('.lock'))
    expect(locks()).toEqual([])
    for (const name of ['run', 'seed-8']) {
      const unlock = lockFile(here.path(`out/${name}.lock`))
      expect(await here.evaluate('run', '', 'out', '--agent', 'random')).toEqual({
        exitCode: 64,
        lines: [`another run writes to ${here.path('out')}`],
      })
      expect(locks()).toEqual([`${name}.lock`])
      unlock?.()
    }
    expect(here.read('out/result.json')).toBe(before)
    expect((await here.evaluate('run', '', 'out', '--agent', 'random')).exitCode).toBe(1)
  })

  test('of one seed is judged too', async () => {
    const held = await here.evaluate('run', '', 'out', '--agent', 'hold', '--seed', '7')
    expect(held.exitCode).toBe(1)
    expect(held.lines.slice(-2)).toEqual([
      'missed  orders at most 0, every seed (seeds 7)',
      'failed',
    ])
  })

  test('names a program as the agent, and says on which seeds it failed and where it said why', async () => {
    const agent = here.program('console.error("no model"); process.exit(3)')
    const { exitCode, lines } = await here.evaluate('run', '', 'out', '--agent', agent)
    expect(exitCode).toBe(0)
    const one = await here.evaluate('run', '', 'out', '--agent', agent, '--seed', '8')
    expect(one.lines.at(-1)).toStartWith('the agent did not finish on seeds 8; see ')
    const out = here.path('out')
    expect(lines).toContain(
      `the agent did not finish on seeds 7, 8; see its errors in ${out}/seed-*.errors`,
    )
    expect(here.read('out/seed-8.errors')).toBe('no model\n')
  })
})

describe('a program of an agent', () => {
  test.each([
    ['nowhere-to-be-found x', 'was not found'],
    ['PLAIN x', 'is no file that this user may execute'],
    ['WORDS x', 'is no program, nor a script that begins with #! and the path of its interpreter'],
  ])('%s that cannot be started is refused in one line, over all seeds', async (agent, reason) => {
    const [PLAIN, WORDS] = [here.write('plain', 'words'), here.write('words', 'words')]
    chmodSync(PLAIN, 0o644)
    chmodSync(WORDS, 0o755)
    const given = agent.replace('PLAIN', PLAIN).replace('WORDS', WORDS)
    const line = `the agent's program ${given.slice(0, -2)} ${reason}`
    const evaluate = async (world: typeof REAL_WORLD) => {
      using own = openEvaluations({ text, world })
      return await own.evaluate('run', '', 'out', '--agent', given, '--workers', '1')
    }
    expect(await evaluate(REAL_WORLD)).toEqual({ exitCode: 64, lines: [line] })
    const commands: unknown[] = []
    const runCommand = async (words: unknown) => {
      commands.push(words)
      return { exitCode: 64, stdout: `${line}\n` }
    }
    expect(await evaluate({ ...REAL_WORLD, runCommand })).toEqual({ exitCode: 64, lines: [line] })
    expect(commands).toHaveLength(1)
  })

  test('that ends at once without a word is said to have', async () => {
    for (const mcp of ['stdio', 'http']) {
      const agent = here.program('process.exit(3)')
      await here.evaluate('run', '', 'out', '--agent', agent, '--seed', '7', '--mcp', mcp)
      expect(here.errorsOf('out')).toBe(
        'the program ended with exit code 3 and printed no errors\n',
      )
    }
    const idle = here.program('process.exit(0)')
    const { lines } = await here.evaluate('run', '', 'out', '--agent', idle)
    expect(lines).toContain('the agent called no tool on seeds 7, 8, and ended')
    const held = await here.evaluate('run', '', 'out', '--agent', 'hold')
    expect(held.lines.join('\n')).not.toContain('called no tool')
  })
})

describe('a disk that is full', () => {
  test('is named with the file, in a run and in a comparison, and leaves no part of it', async () => {
    await here.evaluate('run', '', 'out', '--agent', 'hold')
    const out = here.path('out')
    const page = here.write('page.html', 'the page before')
    const limited = (...words: readonly string[]) => {
      const command = 'trap \'\' XFSZ; ulimit -f 4; exec "$@"'
      const { exitCode, stderr } = Bun.spawnSync([
        ...['sh', '-c', command, 'sh', process.execPath, MAIN, '--mode', 'admin', 'eval', ...words],
      ])
      return { exitCode, printed: stderr.toString() }
    }
    const refusal = (path: string) => `${path} cannot be written (EFBIG)\n`
    const compared = limited('compare', out, '--with', out, '--html', page)
    expect(compared).toEqual({ exitCode: 1, printed: refusal(page) })
    expect(here.read('page.html')).toBe('the page before')
    const file = here.write('short.toml', text)
    const ran = limited('run', file, '--out', out, '--agent', 'hold', '--workers', '1')
    expect(ran).toEqual({ exitCode: 1, printed: refusal(`${out}/result.json`) })
    const seeds = [7, 8].flatMap((seed) =>
      ['errors', 'json', 'jsonl'].map((end) => `seed-${seed}.${end}`),
    )
    expect(readdirSync(out).toSorted()).toEqual(['report.html', ...seeds])
  })

  test('ends a comparison whose page is a device', async () => {
    await here.evaluate('run', '', 'out', '--agent', 'hold')
    const out = here.path('out')
    expect(await here.run('compare', out, '--with', out, '--html', '/dev/full')).toEqual({
      exitCode: 1,
      lines: ['/dev/full is on a disk that is full'],
    })
  })
})

test('a run that is interrupted ends the processes of its seeds, and judges nothing', async () => {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  const ended: string[] = []
  const world = {
    ...REAL_WORLD,
    interrupted: () => interrupted,
    runCommand: (words: readonly string[], signal: AbortSignal) =>
      new Promise<ProcessResult>((resolve) => {
        signal.addEventListener('abort', () => {
          ended.push(words.join(' '))
          resolve({ exitCode: 143, stdout: '' })
        })
        interrupt()
      }),
  }
  using own = openEvaluations({ text, world })
  const flags = ['--agent', 'hold', '--workers', '1']
  const { exitCode, lines } = await own.evaluate('run', '', 'out', ...flags)
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: ['interrupted; nothing is judged'] })
  expect(ended).toHaveLength(1)
  expect(ended[0]).toContain('--seed 7')
})

test('the processes of seeds have the settings of flags, without secrets', async () => {
  const commands: string[] = []
  const world = {
    ...REAL_WORLD,
    runCommand: async (words: readonly string[]) => {
      commands.push(words.join(' '))
      return { exitCode: 1, stdout: '' }
    },
  }
  using own = openEvaluations({ text, world })
  const key = own.write('key', 'k'.repeat(40))
  const config = own.write('own.toml', `venue_fees = "9,8"\noperator_key_file = "${key}"\n`)
  await own.evaluate(
    'run',
    '',
    'out',
    '--agent',
    'hold',
    '--venue-latency',
    'entry=5',
    '--config',
    config,
  )
  expect(commands).toHaveLength(2)
  for (const each of commands) {
    expect(each).toContain('--venue-fees 9,8')
    expect(each).toContain('--venue-latency entry=5')
    expect(each).not.toContain('kkk')
    expect(each).not.toContain('operator')
  }
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
    import { startProgram } from ${JSON.stringify(PRACTICE)}
    const command = [process.execPath, '-e', ${JSON.stringify(agent)}]
    startProgram(command, {})`
  const started = Bun.spawn([process.execPath, '-e', starter])
  await opened.promise
  started.kill('SIGTERM')
  await started.exited
  expect(started.signalCode).toBe('SIGTERM')
  await closed.promise
})
