// Slow: worlds are opened and run in processes of their own, and agents are programs.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { openEvaluations, SHORT } from './fixture.ts'

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const HIDDEN = SHORT.replace('seeds = [7, 8]', 'seeds = "hidden"\nworlds = 2')

/** Prints its environment, the command lines and environments of the processes above it, and the files of the run. */
const SPY = (out: string) => `
import { readdirSync, readFileSync } from 'node:fs'
const looked = (path) => { try { return readFileSync(path, 'utf8') } catch { return '' } }
console.error(JSON.stringify(process.env))
const above = looked('/proc/' + process.ppid + '/stat').split(' ')[3]
for (const pid of [process.ppid, above]) console.error(looked('/proc/' + pid + '/cmdline'), looked('/proc/' + pid + '/environ'))
for (const name of readdirSync(${JSON.stringify(out)})) console.error(name)
`

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations()
})
afterEach(() => here[Symbol.dispose]())

/** Runs the program itself, whose seeds run in processes of their own. */
const spawned = (text: string, out: string, ...flags: readonly string[]) => {
  const agent = here.program(SPY(here.path(out)))
  const words = ['eval', 'run', here.write('short.toml', text), '--out', here.path(out)]
  const { exitCode, stdout } = Bun.spawnSync(
    [process.execPath, MAIN, '--mode', 'admin', ...words, '--agent', agent, ...flags],
    {
      env: {
        ...process.env,
        MODEL_KEY: 'the key of a model',
        AWS_SECRET: 'a secret of a person',
        PREPD_OPERATOR_KEY: 'k'.repeat(40),
      },
    },
  )
  return { exitCode, printed: stdout.toString() }
}

const results = (out: string) => JSON.parse(here.read(`${out}/result.json`))

describe('the environment of an agent', () => {
  test('has nothing of the person but what is named, and nothing of prepd but its task', () => {
    spawned(SHORT, 'plain')
    const [line = ''] = here.read('plain/seed-7.errors').split('\n')
    const names = Object.keys(JSON.parse(line))
    expect(names).toContain('PATH')
    expect(names.filter((name) => name.startsWith('PREPD_')).toSorted()).toEqual([
      ...['PREPD_EVAL_LENGTH_MS', 'PREPD_EVAL_MARKETS', 'PREPD_EVAL_SEED'],
      ...['PREPD_EVAL_STEP_MS', 'PREPD_EVAL_TASK'],
    ])
    expect(names).not.toContain('MODEL_KEY')
    expect(names).not.toContain('AWS_SECRET')
    spawned(SHORT, 'named', '--env', 'MODEL_KEY')
    const [named = ''] = here.read('named/seed-7.errors').split('\n')
    expect(JSON.parse(named)).toMatchObject({ MODEL_KEY: 'the key of a model' })
    expect(named).not.toContain('a secret of a person')
    expect(spawned(`${SHORT}[agent]\nenv = ["AWS_SECRET"]\n`, 'file').exitCode).toBe(0)
    expect(here.read('file/seed-7.errors')).toContain('a secret of a person')
  })

  test.each([
    [['--env', 'NOWHERE_SET'], 'the agent is to get NOWHERE_SET, which is not set'],
    [['--env', 'PREPD_OPERATOR_KEY'], '--env must be names of variables'],
    [['--env', 'A,,B'], '--env must be names of variables'],
  ])('refuses %j', async (flags, line) => {
    const agent = ['--agent', here.program('')]
    const { exitCode, lines } = await here.evaluate('run', '', 'out', ...agent, ...flags)
    expect(exitCode).toBe(64)
    expect(lines[0]).toStartWith(line)
  })
})

describe('seeds that are hidden', () => {
  test('are nowhere that an agent can look, and open ones are', () => {
    expect(spawned(SHORT, 'open', '--workers', '1').exitCode).toBe(0)
    expect(here.read('open/seed-8.errors')).toContain('"PREPD_EVAL_SEED":"8"')
    expect(here.read('open/seed-8.errors')).toContain('--seed\u00008')
    expect(spawned(HIDDEN, 'hidden', '--workers', '1').exitCode).toBe(0)
    const { runs, secret } = results('hidden')
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(runs).toHaveLength(2)
    for (const number of [1, 2]) {
      const seen = here.read(`hidden/seed-${number}.errors`)
      expect(seen).toContain('--secret\u0000-')
      expect(seen).not.toContain(secret)
      expect(seen).not.toContain('PREPD_EVAL_SEED')
      for (const { seed } of runs) expect(seen).not.toContain(String(seed))
    }
    expect(here.read('hidden/report.html')).toContain(String(runs[0].seed))
    expect(here.read('hidden/report.html')).toContain(secret)
  })

  test('make other worlds in each run, and the same ones from the secret of a result', async () => {
    const own = openEvaluations({ text: HIDDEN })
    const run = async (out: string, agent: string, ...flags: readonly string[]) => {
      await own.evaluate('run', '', out, '--agent', agent, ...flags)
      return JSON.parse(own.read(`${out}/result.json`))
    }
    const one = await run('one', 'hold')
    const other = await run('other', 'hold')
    const hashes = [...one.runs, ...other.runs].map(({ hash }) => hash)
    expect(new Set(hashes).size).toBe(4)
    const secret = own.write('secret', `${one.secret}\n`)
    const again = await run('again', 'hold', '--secret', secret)
    expect(again.runs).toEqual(one.runs)
    await run('random', 'random', '--secret', secret)
    const pairs = (folder: string) =>
      own.run('compare', own.path('one'), '--with', own.path(folder))
    expect((await pairs('random')).lines[0]).toStartWith('2 pairs')
    expect(await pairs('other')).toEqual({
      exitCode: 64,
      lines: ['the two have no seed in common'],
    })
    // The seeds of a result, written into the file, make the same worlds too.
    const listed = `seeds = [${one.runs.map(({ seed }: { seed: number }) => seed).join(', ')}]`
    own.write('short.toml', HIDDEN.replace('seeds = "hidden"\nworlds = 2', listed))
    const words = ['--out', own.path('listed'), '--agent', 'hold']
    await own.run('run', own.path('short.toml'), ...words)
    expect(JSON.parse(own.read('listed/result.json')).runs).toEqual(one.runs)
    own[Symbol.dispose]()
  })

  test('are replayed by the number of their world', async () => {
    using own = openEvaluations({ text: HIDDEN })
    await own.evaluate('run', '', 'out', '--agent', 'hold')
    const { seed, hash } = JSON.parse(own.read('out/seed-2.json'))
    expect(await own.evaluate('replay', '', 'out', '--seed', '2')).toEqual({
      exitCode: 0,
      lines: [`seed ${seed}: the same world, ${hash}`],
    })
  })

  test('are not sent to an agent at an address', async () => {
    using own = openEvaluations({ text: HIDDEN, world: REAL_WORLD })
    const given: unknown[] = []
    const server = Bun.serve({
      ...{ hostname: '127.0.0.1', port: 0 },
      fetch: async (request) => {
        given.push(...Object.keys(Object(await request.json())))
        return new Response()
      },
    })
    const address = `http://127.0.0.1:${server.port}/begin`
    await own.evaluate('run', '', 'out', '--agent', address, '--seed', '1')
    expect(given).toEqual(['url', 'token', 'task', 'markets', 'lengthMs', 'stepMs'])
    await server.stop(true)
  })

  test.each([
    [SHORT, '--secret', '--secret is that of seeds = "hidden"'],
    [HIDDEN, '--secret', '--secret must name a file with the secret of a result'],
    [HIDDEN, '--seed', '--seed must be one of the seeds of the file'],
    [`${SHORT}worlds = 3\n`, '', 'worlds is that of seeds = "hidden"'],
    [
      SHORT.replace('[7, 8]', '"secret"'),
      '',
      'seeds must be a list of different whole numbers from 1, or "hidden"',
    ],
  ])('or not are refused by name where they are wrong', async (text, flag, line) => {
    using own = openEvaluations({ text })
    const value = flag === '--seed' ? '3' : own.write('wrong', 'no secret')
    const flags = flag === '' ? [] : [flag, value]
    expect(await own.evaluate('run', '', 'out', '--agent', 'hold', ...flags)).toEqual({
      exitCode: 64,
      lines: [line],
    })
  })
})
