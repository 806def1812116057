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

/** Writes its address to a file, and stays. */
const SERVER = `
  const { url } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  require('node:fs').writeFileSync('part', url.href)
  require('node:fs').renameSync('part', 'url')`

/** A file whose test starts a server and fails, and one whose test never ends. */
const FILES = {
  'server.test.ts': `
  import { expect, test } from 'bun:test'
  import { existsSync } from 'node:fs'
  test('starts a server and fails', async () => {
    Bun.spawn([process.execPath, '-e', ${JSON.stringify(SERVER)}])
    while (!existsSync('url')) await Bun.sleep(5)
    expect(1).toBe(2)
  }, 60_000)`,
  'waiting.test.ts': `
  import { test } from 'bun:test'
  test('never ends', () => new Promise(() => {}), 60_000)`,
}

/** A project with the settings of this one, whose run of tests leaves its server to whoever cleans up. */
function startRun(...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-orphans-'))
  mkdirSync(join(folder, 'test'))
  cpSync(BUNFIG, join(folder, 'bunfig.toml'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'test', name), text)
  const run = Bun.spawn([process.execPath, 'test', ...flags], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return { run, folder, file: join(folder, 'url') }
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

test.each(['--bail', 'SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a run of tests that ends by %s leaves no process behind',
  async (way) => {
    const { run, folder, file } = startRun(
      ...(way === '--bail' ? [way] : ['--parallel=2', '--no-isolate']),
    )
    while (!existsSync(file)) await Bun.sleep(5)
    const url = readFileSync(file, 'utf8')
    if (way !== '--bail') run.kill(way)
    expect(await run.exited).not.toBe(0)
    // A server that stays answers for ever: the test then runs into its time limit.
    while (await answers(url)) await Bun.sleep(5)
    rmSync(folder, { recursive: true })
  },
)
