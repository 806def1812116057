import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** A project as small as the launcher accepts: its own bun, and a program that is an executable script. */
let project = ''
const at = (...parts: string[]): string => join(project, ...parts)

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'prepd-launch-'))
  for (const folder of ['build', 'src', 'node_modules']) mkdirSync(at(folder))
  for (const name of ['launch.mjs', 'install.mjs', 'shell.mjs'])
    cpSync(join(ROOT, 'build', name), at('build', name))
  for (const name of ['bun', '@oven'])
    symlinkSync(join(ROOT, 'node_modules', name), at('node_modules', name))
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'NOTICE'])
    writeFileSync(at(name), '{}\n')
  writeFileSync(at('src/program.sh'), '#!/bin/sh\necho "runs: $*"\nexit 7\n')
  writeFileSync(
    at('build/compile.ts'),
    `import { chmodSync, cpSync, mkdirSync } from 'node:fs'
mkdirSync('build/out', { recursive: true })
cpSync('src/program.sh', 'build/out/prepd')
chmodSync('build/out/prepd', 0o755)
console.log('built')
`,
  )
  const lock = new Bun.CryptoHasher('sha256').update('package-lock.json\0{}\n').digest('hex')
  writeFileSync(at('node_modules/.prepd-installed'), `${lock} all`)
})

afterAll(() => rmSync(project, { recursive: true }))

function launch(...args: string[]) {
  return launchIn({}, ...args)
}

function launchIn(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, at('build/launch.mjs'), ...args],
    { env: { ...process.env, ...env } },
  )
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

const BEGUN = 'prepd: building, which takes about 20 seconds\n'
const BUILT = `${BEGUN}built\n`

describe('the launcher', () => {
  test('builds what is not built, passes arguments on, and answers the exit code of the program', () => {
    expect(launch('start', '--log', 'debug')).toEqual({
      exitCode: 7,
      stdout: 'runs: --log debug\n',
      stderr: BUILT,
    })
  })

  test('builds again only when a source has changed', () => {
    expect(launch('start').stderr).toBe('')
    writeFileSync(at('src/program.sh'), '#!/bin/sh\necho changed\n')
    expect(launch('start')).toEqual({ exitCode: 0, stdout: 'changed\n', stderr: BUILT })
    expect(launch('start').stderr).toBe('')
  })

  test('shows each step of a build when it begins', async () => {
    const builder = readFileSync(at('build/compile.ts'), 'utf8')
    const isOver = at('is-over')
    writeFileSync(
      at('build/compile.ts'),
      `import { existsSync } from 'node:fs'
console.log('the first step')
while (!existsSync(${JSON.stringify(isOver)})) await Bun.sleep(5)
${builder}`,
    )
    const child = Bun.spawn([process.execPath, at('build/launch.mjs'), 'build'], { stderr: 'pipe' })
    let shown = ''
    // The build waits for the file, which is written once its first step has been seen.
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      shown += text
      if (shown === `${BEGUN}the first step\n`) writeFileSync(isOver, '')
    }
    expect([await child.exited, shown]).toEqual([0, `${BEGUN}the first step\nbuilt\n`])
    writeFileSync(at('build/compile.ts'), builder)
  })

  test('starts nothing when the build fails', () => {
    const builder = readFileSync(at('build/compile.ts'), 'utf8')
    writeFileSync(at('build/compile.ts'), 'console.log("broken"); process.exit(3)')
    expect(launch('start')).toEqual({ exitCode: 3, stdout: '', stderr: `${BEGUN}broken\n` })
    writeFileSync(at('build/compile.ts'), builder)
  })

  test('passes SIGTERM on and waits for the program', async () => {
    writeFileSync(
      at('src/program.sh'),
      '#!/bin/sh\ntrap "echo stopped; exit 5" TERM\necho ready\nwhile :; do sleep 0.05; done\n',
    )
    const child = Bun.spawn([process.execPath, at('build/launch.mjs'), 'start'], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    let output = ''
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk
      if (chunk.includes('ready')) child.kill('SIGTERM')
    }
    expect(output).toBe('ready\nstopped\n')
    expect(await child.exited).toBe(5)
  })

  test('ends the program when the terminal hangs up, or the shell that started it is gone', async () => {
    const script = `#!/bin/sh\ntrap "echo stopped; exit 0" TERM\ntrap "" HUP\necho ready\nwhile :; do sleep 0.05; done\n`
    writeFileSync(at('src/program.sh'), script)
    const command = `${process.execPath} ${at('build/launch.mjs')} start; :`
    for (const ends of ['SIGHUP', 'SIGKILL'] as const) {
      const argv =
        ends === 'SIGHUP'
          ? [process.execPath, at('build/launch.mjs'), 'start']
          : ['sh', '-c', command]
      // Not the settings of this run, under which bun itself ends with its parent.
      const env = { PATH: process.env['PATH'] }
      const child = Bun.spawn(argv, { cwd: project, env, stdout: 'pipe', stderr: 'ignore' })
      let output = ''
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        output += chunk
        if (chunk.includes('ready')) child.kill(ends)
      }
      expect(output).toBe('ready\nstopped\n')
    }
  })

  test('counts every check, and says so on its last line', () => {
    const { exitCode, stdout } = launch('check')
    expect(exitCode).toBe(1)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^prepd: 1 passed, 8 failed$/)
    expect(stdout).toMatch(/^build: 1 passed, 0 failed \(/m)
    expect(stdout).toMatch(/^tests: 0 passed, 1 failed \(/m)
  })

  // Slow: a test that takes longer than a second is what it is about.
  test('names the slowest files, slow tests without a reason, and what was skipped with how to install it', () => {
    const program = `import { appendFileSync } from 'node:fs'
import { test } from 'bun:test'
test('one', () => appendFileSync(process.env.TESTS_SKIPPED_FILE, 'a browser\\tnpm install\\n'.repeat(2)))`
    mkdirSync(at('test'))
    writeFileSync(at('test/one.test.ts'), program)
    const slow = `import { test } from 'bun:test'\ntest('waits', () => Bun.sleep(1001))\n`
    writeFileSync(at('test/waits.test.ts'), slow)
    writeFileSync(at('test/long.test.ts'), `// Slow: it waits for a deadline.\n${slow}`)
    const { stdout } = launch('check')
    rmSync(at('test'), { recursive: true })
    expect(stdout).toMatch(/^tests: 3 passed, 0 failed \(/m)
    const [, closing = ''] = /^( +\d+\.\d s {2}[\s\S]*)prepd: /m.exec(stdout) ?? []
    const lines = closing
      .replace(/^ +\d+\.\d s {2}/gm, '')
      .trimEnd()
      .split('\n')
    expect(lines.slice(0, 2).toSorted()).toEqual(['test/long.test.ts', 'test/waits.test.ts'])
    expect(lines.slice(2)).toEqual([
      'test/one.test.ts',
      'test/waits.test.ts:2 gives no reason (a comment "Slow: WHY")',
      'skipped: a browser (npm install)',
    ])
    // Nothing of it is kept for the next run.
    expect(launch('check').stdout).not.toMatch(/(?:one|waits|long)\.test|skipped/)
  })

  test('stops a check that hangs and will not end, and says which one it was', () => {
    const builder = readFileSync(at('build/compile.ts'), 'utf8')
    const deaf = `process.on('SIGTERM', () => 0)\nsetInterval(() => 0, 9)`
    writeFileSync(at('build/compile.ts'), deaf)
    const { exitCode, stdout } = launchIn({ CHECK_MAX_SECONDS: '1' }, 'check')
    writeFileSync(at('build/compile.ts'), builder)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^build: stopped, its time is over\nbuild: 0 passed, 1 failed \(/m)
    // What needs no executable waits for none.
    expect(stdout.indexOf('lint: ')).toBeWithin(0, stdout.indexOf('build: '))
    expect(stdout).toMatch(/^prepd: 0 passed, 9 failed\n$/m)
  })

  test('installs packages of npm and of the system beside each other, and tests nothing when npm fails', () => {
    // Each installer ends once the other has begun, or gives up after a minute. Only root installs packages of the system.
    const meets = (own: string, other: string) =>
      `touch ${own}; for _ in $(seq 6000); do [ -e ${other} ] && exit 9; sleep 0.01; done; exit 3`
    const isRoot = process.getuid?.() === 0
    mkdirSync(at('bin'))
    const script = `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${meets('by-apt', 'by-npm')}\n`
    writeFileSync(at('bin/apt-get'), script, { mode: 0o755 })
    const shell = JSON.stringify(meets('by-npm', isRoot ? 'by-apt' : 'by-npm'))
    const npm = `process.exitCode = Bun.spawnSync(['sh', '-c', ${shell}]).exitCode`
    writeFileSync(at('bin/npm-cli.js'), npm)
    writeFileSync(at('build/programs.json'), '{"there-is-no-such-program":{"package":"x"}}')
    const stamp = readFileSync(at('node_modules/.prepd-installed'), 'utf8')
    rmSync(at('node_modules/.prepd-installed'))
    const PATH = `${at('bin')}:${process.env['PATH']}`
    const { exitCode, stdout } = launchIn({ PATH, npm_execpath: at('bin/npm-cli.js') }, 'test')
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' })
    expect(existsSync(at('by-apt'))).toBe(isRoot)
    writeFileSync(at('node_modules/.prepd-installed'), stamp)
    rmSync(at('build/programs.json'))
  })

  test('names its tasks when it is asked for another', () => {
    for (const task of [[], ['serve'], ['constructor']]) {
      expect(launch(...task)).toEqual({
        exitCode: 64,
        stdout: '',
        stderr: 'usage: launch.mjs start|build|test|check|release|bench|soak|fuzz [ARGS]\n',
      })
    }
  })

  test('leaves nothing outside build/out and node_modules', () => {
    expect(existsSync(at('bun.lock'))).toBe(false)
    expect(existsSync(at('build/out/built-from'))).toBe(true)
  })
})
