import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { needProgram } from '../programs.ts'
import { answers, until } from './processes.ts'

/** Nobody: PgBouncer refuses to run as root. */
const UID = 65_534

export type Pgbouncer = {
  /** The URL of the database that it passes on to. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts PgBouncer before the database of a URL, with settings of its own. Always `await stop()`. */
export async function startPgbouncer(
  database: string,
  settings: Readonly<Record<string, string>>,
): Promise<Pgbouncer> {
  const { username, password, hostname, port, pathname } = new URL(database)
  const folder = mkdtempSync(join(tmpdir(), 'prepd-pgbouncer-'))
  const config = join(folder, 'pgbouncer.ini')
  const at = freePort()
  const own = { listen_addr: hostname, listen_port: at, unix_socket_dir: '', auth_type: 'any' }
  const rows = Object.entries({ ...own, ...settings }).map(([name, text]) => `${name} = ${text}`)
  const behind = `host=${hostname} port=${port} user=${username} password=${password}`
  const databases = ['[databases]', `${pathname.slice(1)} = ${behind}`]
  writeFileSync(config, [...databases, '[pgbouncer]', ...rows, ''].join('\n'))
  chmodSync(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  const child: ChildProcess = spawn(needProgram('pgbouncer'), ['-q', config], {
    stdio: 'ignore',
    ...(isRoot && { uid: UID, gid: UID }),
  })
  await until(() =>
    answers(async () => {
      const socket = await Bun.connect({ hostname, port: at, socket: { data: () => undefined } })
      socket.end()
    }),
  )
  return {
    url: `postgres://${username}:${password}@${hostname}:${at}${pathname}`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
