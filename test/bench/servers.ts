import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import selfSigned from '../vectors/self-signed.json'

/** The server under test runs on one core, whoever asks it on the other. */
export const CORES = { server: '0', load: '1' } as const

export type Running = {
  readonly url: string
  /** The operator's listener of a prepd that has one. */
  readonly opsUrl?: string | undefined
  readonly pid: number
  readonly stop: () => Promise<void>
}

const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname

/** The programs of other people that are measured with, and the packages that bring them. */
const TOOLS = {
  nginx: 'nginx',
  'redis-cli': 'redis-tools',
  'redis-server': 'redis-server',
  setpriv: 'util-linux',
  taskset: 'util-linux',
  wrk: 'wrk',
} as const

/** Refuses to measure without its tools. */
export function assertTools(): void {
  const missing = Object.entries(TOOLS).filter(([tool]) => Bun.which(tool) === null)
  if (missing.length === 0) return
  const [tools, packages] = [0, 1].map((at) =>
    [...new Set(missing.map((row) => row[at]))].join(' '),
  )
  throw new Error(`the bench needs ${tools}: apt-get install ${packages}`)
}

/** Runs a program, pinned to a core unless that is null, until a line of its output names the URL. */
async function start(
  core: string | null,
  command: readonly string[],
  env: Record<string, string>,
): Promise<Running> {
  const pinned = core === null ? command : ['taskset', '-c', core, ...command]
  const child = Bun.spawn([...pinned], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const decoder = new TextDecoder()
  let seen = ''
  for await (const chunk of child.stdout) {
    seen += decoder.decode(chunk, { stream: true })
    const url = /listening on (https?:\S+)/.exec(seen)?.[1]
    const opsUrl = /^console: (\S+)\/$/m.exec(seen)?.[1]
    if (url) return { url, opsUrl, pid: child.pid, stop: () => stopped(child) }
  }
  throw new Error(`${command[0]} did not start`)
}

async function stopped(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM')
  await child.exited
}

/**
 * Keeps this process on the load's core, where it asks one call after another; the answer sets it free. Left free, a direct
 * call crosses cores and takes twice as long (0.20 ms, not 0.10), which hides half of what a server between adds.
 */
export function askFromLoad(): () => void {
  const { pid } = process
  const cores = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  Bun.spawnSync(['taskset', '-a', '-cp', CORES.load, String(pid)])
  return () => void (cores && Bun.spawnSync(['taskset', '-a', '-cp', cores, String(pid)]))
}

/** prepd as it ships, with limits so high that only their cost is felt; `before` are a program and its options that run it. */
export function startPrepd(
  settings: Record<string, string> = {},
  core: string | null = CORES.server,
  outside: Record<string, string> = {},
  before: readonly string[] = [],
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-bench-'))
  const chosen = {
    LISTEN: '127.0.0.1:0',
    OPS_LISTEN: 'off',
    LOG: 'error',
    DATA_DIR: folder,
    LIMIT_READ: HIGH,
    LIMIT_RELAY: HIGH,
    LIMIT_ACCOUNT: HIGH,
    LIMIT_CANCEL: HIGH,
    ...settings,
  }
  const env = Object.entries(chosen).map(([name, value]) => [`PREPD_${name}`, value])
  return start(core, [...before, BINARY], { ...outside, ...Object.fromEntries(env) })
}

const HIGH = '100000000/60s burst 10000000'

/** A part of the bench that listens: this folder's serve.ts in one of its roles. */
export function startRole(
  role: 'bare' | 'venue' | 'fan' | 'beats',
  core: string,
  argument = '',
): Promise<Running> {
  const script = new URL('./serve.ts', import.meta.url).pathname
  return start(core, [process.execPath, script, role, argument], {})
}

/** A venue over TLS, so many milliseconds away, and the environment in which it is trusted. */
export async function startFarVenue(roundTripMs: number) {
  const script = new URL('./far-venue.ts', import.meta.url).pathname
  const venue = await start(CORES.load, [process.execPath, script, String(roundTripMs)], {})
  const authority = join(mkdtempSync(join(tmpdir(), 'prepd-far-')), 'authority.pem')
  writeFileSync(authority, selfSigned.certificate)
  return { ...venue, trusted: { NODE_EXTRA_CA_CERTS: authority, NO_PROXY: 'localhost' } }
}

/** nginx with one worker: `/cached` out of proxy_cache, everything else passed on with kept connections. */
export async function startNginx(upstream: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-nginx-'))
  const port = freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxConfig({ folder, port, upstream: new URL(upstream).host }))
  const child = Bun.spawn(['taskset', '-c', CORES.server, 'nginx', '-p', folder, '-c', file], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    ) {
      return { url, pid: child.pid, stop: () => stopped(child) }
    }
    await Bun.sleep(20)
  }
  throw new Error('nginx did not start')
}

export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port ?? 0
}

type NginxParts = { readonly folder: string; readonly port: number; readonly upstream: string }

function nginxConfig({ folder, port, upstream }: NginxParts): string {
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log /dev/null; user root;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000;
  proxy_cache_path ${folder}/cache keys_zone=bench:10m;
  upstream venue { server ${upstream}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1; proxy_set_header Connection "";
    location /cached/ { proxy_cache bench; proxy_cache_valid 200 1h; proxy_pass http://venue/; }
    location / { proxy_pass http://venue; }
  }
}
`
}
