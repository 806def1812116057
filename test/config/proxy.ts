import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { needProgram } from '../programs.ts'
import { writePair } from '../tls-pair.ts'

const CONFIG = join(import.meta.dir, '../../config')

type Place = {
  readonly folder: string
  readonly port: number
  /** The instances behind it, as `host:port`. */
  readonly upstreams: readonly string[]
  readonly cert: string
  readonly key: string
}

/** How each proxy is started from the file that is shipped, with this machine's ports and certificate put in. */
export const PROXIES: Readonly<Record<string, (place: Place) => string[]>> = {
  nginx({ folder, port, upstreams, cert, key }) {
    const server = shipped('nginx.example.conf', [
      [
        'server 127.0.0.1:8080 max_fails=0;',
        upstreams.map((upstream) => `server ${upstream} max_fails=0;`).join(' '),
      ],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/ssl/prepd/tls.crt', cert],
      ['/etc/ssl/prepd/tls.key', key],
    ])
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join('\n')
    const main = join(folder, 'nginx.conf')
    writeFileSync(join(folder, 'prepd.conf'), server)
    writeFileSync(
      main,
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log stderr warn; events {}
http { access_log off; ${temporary} include ${folder}/prepd.conf; }\n`,
    )
    return [needProgram('nginx'), '-p', folder, '-e', 'stderr', '-c', main]
  },
  caddy({ folder, port, upstreams, cert, key }) {
    const site = shipped('Caddyfile', [
      ['{$PREPD_INSTANCES:127.0.0.1:8080}', upstreams.join(' ')],
      ['{$PREPD_HOST:your.host} {', `https://127.0.0.1:${port} {\n\ttls ${cert} ${key}`],
    ])
    const main = join(folder, 'Caddyfile')
    writeFileSync(main, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
    return [needProgram('caddy'), 'run', '--config', main, '--adapter', 'caddyfile']
  },
}

/** A file of config/ with places of this test for those of the example, each of which has to stand in it. */
function shipped(name: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${name} does not say ${from}`)
      return text.replaceAll(from, to)
    },
    readFileSync(join(CONFIG, name), 'utf8'),
  )
}

const PORT_TRIES = 5

/** A proxy before some instances. */
export type RunningProxy = {
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
  /** Its port on this machine, for bytes that no client would send. */
  readonly port: number
  readonly stop: () => Promise<void>
}

/** Starts a proxy by the file that is shipped for it, and waits until it passes something on. */
export async function startProxy(
  name: string,
  folder: string,
  upstreams: readonly string[],
): Promise<RunningProxy> {
  const pair = writePair(folder, 'proxy')
  // A proxy cannot be asked for any port that is free: one that was taken meanwhile is another try.
  for (let tries = 1; ; tries += 1) {
    const own = join(folder, `proxy-${tries}`)
    const place = { folder: own, port: freePort(), upstreams, ...pair }
    const child = spawnProxy(name, place)
    const ask: RunningProxy['ask'] = (path, init = {}) =>
      fetch(`https://127.0.0.1:${place.port}${path}`, {
        ...init,
        tls: { rejectUnauthorized: false },
      })
    if (await passesOn(child, ask)) return { ask, port: place.port, stop: () => ended(child) }
    if (tries === PORT_TRIES) throw new Error(readFileSync(join(own, 'log'), 'utf8'))
  }
}

function spawnProxy(name: string, place: Place): Bun.Subprocess {
  const { folder } = place
  mkdirSync(folder)
  const argv = PROXIES[name]?.(place) ?? []
  const homes = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const env = { PATH: process.env['PATH'], ...homes }
  return Bun.spawn(argv, {
    cwd: folder,
    env,
    stdout: 'ignore',
    stderr: Bun.file(join(folder, 'log')),
  })
}

async function passesOn(child: Bun.Subprocess, ask: RunningProxy['ask']): Promise<boolean> {
  while (child.exitCode === null) {
    const response = await ask('/api/prep/catalogue').catch(() => null)
    if (response?.ok) return true
    await Bun.sleep(20)
  }
  return false
}

async function ended(child: Bun.Subprocess): Promise<void> {
  child.kill()
  await child.exited
}
