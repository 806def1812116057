import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { needProgram } from '../programs.ts'
import { until } from './processes.ts'

/** A Valkey or Redis of this test's own: in memory alone, on a loopback port. */
export type RunningValkey = {
  readonly port: number
  readonly password: string
  readonly url: string
  /** Stops its clock and everything else, as a machine that hangs does. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends it at once; `start` then begins with nothing. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** What redis-cli says to a command, which is given as its words. */
  readonly cli: (...words: string[]) => Promise<string>
  /** Every key with what it holds, as text and as hexadecimal. */
  readonly dump: () => Promise<string>
  readonly stop: () => Promise<void>
}

const PROGRAM = process.env['PREPD_TEST_VALKEY'] ?? 'redis-server'

/** What tests with a Valkey run. */
export const VALKEY_PROGRAMS = [PROGRAM, 'redis-cli'] as const

/** Starts the program that PREPD_TEST_VALKEY names, or Debian's; more words are more of its settings. */
export async function startValkey(...settings: string[]): Promise<RunningValkey> {
  const program = needProgram(PROGRAM)
  const folder = mkdtempSync(join(tmpdir(), 'prepd-valkey-'))
  const port = freePort()
  const password = crypto.randomUUID()
  let child: Bun.Subprocess | null = null

  async function start(): Promise<void> {
    const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--requirepass', password]
    const quiet = ['--save', '', '--appendonly', 'no', '--dir', folder, '--loglevel', 'warning']
    const stdio = { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' } as const
    child = Bun.spawn([program, ...words, ...quiet, ...settings], { cwd: folder, ...stdio })
    await until(async () => {
      if (child?.exitCode !== null) throw new Error(`${program} ended at once`)
      return (await cli('ping')) === 'PONG'
    })
  }

  async function cli(...words: string[]): Promise<string> {
    return (await raw(...words)).toString().trim()
  }

  async function raw(...words: string[]): Promise<Buffer> {
    const argv = [needProgram('redis-cli'), '-p', `${port}`, '--raw', ...words]
    const env = { PATH: process.env['PATH'], REDISCLI_AUTH: password }
    const asked = Bun.spawn(argv, { env, stdout: 'pipe', stderr: 'ignore' })
    return Buffer.from(await new Response(asked.stdout).arrayBuffer())
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL')
    await child?.exited
  }

  await start()
  return {
    port,
    password,
    url: `redis://:${password}@127.0.0.1:${port}`,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    kill,
    start,
    cli,
    dump: async () => {
      const keys = (await cli('keys', '*')).split('\n')
      const values = await Promise.all(
        keys.map(async (key) => {
          const value = await raw('get', key)
          return [key, value.toString('latin1'), value.toString('hex')].join('\n')
        }),
      )
      return values.join('\n')
    },
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
