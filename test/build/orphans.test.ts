import { expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BUNFIG = join(import.meta.dir, '../../bunfig.toml')

/** A test that starts a server and then fails, beside one that never ends. */
const RUN = `import { expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
test('starts a server and fails', () => {
  const { pid } = Bun.spawn([process.execPath, '-e', 'setInterval(() => {}, 60_000)'])
  writeFileSync('pid.part', String(pid))
  renameSync('pid.part', 'pid')
  expect(1).toBe(2)
})
test('never ends', () => new Promise(() => {}), 60_000)
`

/** A project with the settings of this one, whose run of tests leaves the server to whoever cleans up. */
function startRun(...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-orphans-'))
  mkdirSync(join(folder, 'test'))
  cpSync(BUNFIG, join(folder, 'bunfig.toml'))
  writeFileSync(join(folder, 'test/run.test.ts'), RUN)
  const run = Bun.spawn([process.execPath, 'test', ...flags], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return { run, folder, pidFile: join(folder, 'pid') }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test.each(['--bail', 'SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a run of tests that ends by %s leaves no process behind',
  async (way) => {
    const { run, folder, pidFile } = startRun(...(way === '--bail' ? [way] : []))
    while (!existsSync(pidFile)) await Bun.sleep(5)
    const server = Number(readFileSync(pidFile, 'utf8'))
    if (way !== '--bail') run.kill(way)
    await run.exited
    // What fails here is a server that stays for ever: the test then runs into its time limit.
    while (isAlive(server)) await Bun.sleep(5)
    expect(run.exitCode).not.toBe(0)
    rmSync(folder, { recursive: true })
  },
)
