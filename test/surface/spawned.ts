import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHEAP_WORLD } from '../target.ts'

const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname

export type SpawnOptions = {
  readonly argv?: readonly string[]
  /** Settings without their prefix; a quiet server on a free port unless they say otherwise. */
  readonly settings?: Readonly<Record<string, string>>
  /** Without one, a folder of its own, which goes with the process: a relative data directory stands in it. */
  readonly cwd?: string
  /** Says nothing of the log, so that a file decides. */
  readonly bare?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** What a shell does before it becomes the process, such as `ulimit -n 64`. */
  readonly before?: string
}

/** The binary as an operator sees it: a process, its output and its exit code. */
export function spawnPrepd({
  argv = [],
  settings = {},
  cwd,
  bare,
  before,
  env = {},
}: SpawnOptions) {
  const least = { LISTEN: '127.0.0.1:0', OPS_LISTEN: 'off', ...CHEAP_WORLD }
  const quiet = { ...least, ...(!bare && { LOG: 'error' }) }
  const chosen = { ...quiet, ...settings }
  const shell = before === undefined ? [] : ['/bin/sh', '-c', `${before}; exec "$0" "$@"`]
  const folder = cwd ?? mkdtempSync(join(tmpdir(), 'prepd-spawned-'))
  const child = Bun.spawn([...shell, BINARY, ...argv], {
    cwd: folder,
    env: {
      ...env,
      NO_PROXY: '127.0.0.1',
      ...Object.fromEntries(Object.entries(chosen).map(([name, text]) => [`PREPD_${name}`, text])),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  return {
    pid: child.pid,
    /** Everything written to stdout so far. */
    output: stdout.text,
    /** Everything written to stderr so far. */
    log: stderr.text,
    kill: (signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGHUP') => child.kill(signal),
    /** Resolves when the process is gone and its output read. */
    ended: async () => {
      const code = await child.exited
      await Promise.all([stdout.done, stderr.done])
      if (cwd === undefined) rmSync(folder, { recursive: true, force: true })
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    },
    /** The address it listens on. Throws when it ends without listening. */
    url: () => printed(/^prepd listening on (\S+)$/m),
    /** The address of the operator's listener. */
    opsUrl: () => printed(/^console: (\S+)\/$/m),
  }

  /** What a first line of its output names. */
  async function printed(line: RegExp): Promise<string> {
    for (;;) {
      const [, url] = line.exec(stdout.text()) ?? []
      if (url) return url
      if (child.exitCode !== null) throw new Error(`prepd ended: ${stderr.text()}`)
      await Bun.sleep(5)
    }
  }
}

function collect(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder()
  let seen = ''
  async function drain() {
    for await (const chunk of stream) seen += decoder.decode(chunk, { stream: true })
  }
  return { done: drain(), text: () => seen }
}

/** A temporary folder, removed at the end of its scope. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'prepd-wire-'))
  return {
    path,
    [Symbol.dispose]: (): void => rmSync(path, { recursive: true, force: true }),
  }
}

/**
 * Sends exactly these bytes to a server, which is to close the connection; answers what came back. What is said later is
 * sent to a connection that is still open then.
 */
export async function rawExchange(
  url: string,
  request: string,
  later?: Promise<string>,
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('error', reject)
    void later?.then((rest) => socket.writable && socket.write(rest))
  })
}
