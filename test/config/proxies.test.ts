import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { needProgram } from '../programs.ts'
import { ACCEPTED } from '../recording-upstream.ts'
import { startRecordedVenue } from '../surface/recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { writePair } from '../tls-pair.ts'

const CONFIG = join(import.meta.dir, '../../config')

type Place = {
  readonly folder: string
  readonly port: number
  readonly upstream: string
  readonly cert: string
  readonly key: string
}

/** How each proxy is started from the file that is shipped, with this machine's ports and certificate put in. */
const PROXIES: Readonly<Record<string, (place: Place) => string[]>> = {
  nginx({ folder, port, upstream, cert, key }) {
    const server = shipped('nginx.example.conf', [
      ['127.0.0.1:8080', upstream],
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
  caddy({ folder, port, upstream, cert, key }) {
    const site = shipped('Caddyfile', [
      ['127.0.0.1:8080', upstream],
      ['your.host {', `https://127.0.0.1:${port} {\n\ttls ${cert} ${key}`],
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
      return text.replace(from, to)
    },
    readFileSync(join(CONFIG, name), 'utf8'),
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

const PORT_TRIES = 5

describe.each(Object.keys(PROXIES))('behind %s', (name) => {
  const folder = temporaryFolder()
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let prepd: ReturnType<typeof spawnPrepd>
  let proxy: Bun.Subprocess
  let url = ''

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, tls: { rejectUnauthorized: false } })

  beforeAll(async () => {
    venue = await startRecordedVenue(() => ACCEPTED)
    const settings = {
      VENUE: venue.url,
      DATA_DIR: join(folder.path, 'data'),
      TRUSTED_PROXIES: '127.0.0.1/32',
    }
    prepd = spawnPrepd({ settings })
    const upstream = new URL(await prepd.url()).host
    const pair = writePair(folder.path, 'proxy')
    // A proxy cannot be asked for any port that is free: one that was taken meanwhile is another try.
    for (let tries = 1; !(await start(upstream, pair, tries)); tries += 1) {
      if (tries === PORT_TRIES) throw new Error(said(tries))
    }
  })

  const placeOf = (tries: number) => join(folder.path, `proxy-${tries}`)
  const said = (tries: number) => readFileSync(join(placeOf(tries), 'log'), 'utf8')

  /** Whether the proxy answers on a port that was free a moment ago. */
  async function start(upstream: string, pair: ReturnType<typeof writePair>, tries: number) {
    const port = await freePort()
    const own = placeOf(tries)
    mkdirSync(own)
    const argv = PROXIES[name]?.({ folder: own, port, upstream, ...pair }) ?? []
    const env = { PATH: process.env['PATH'], HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own }
    proxy = Bun.spawn(argv, { cwd: own, env, stdout: 'ignore', stderr: Bun.file(join(own, 'log')) })
    url = `https://127.0.0.1:${port}`
    const answers = () =>
      ask('/api/prep/catalogue').then(
        ({ ok }) => ok,
        () => false,
      )
    while (proxy.exitCode === null) {
      if (await answers()) return true
      await Bun.sleep(20)
    }
    return false
  }
  afterAll(async () => {
    proxy.kill()
    await proxy.exited
    prepd.kill('SIGTERM')
    await prepd.ended()
    await venue.stop()
    folder[Symbol.dispose]()
  })

  test('a caller is who the proxy says, not who it says itself', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    }
    const response = await ask('/api/prep/op/platform.ipInfo', { headers })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain('127.0.0.1')
    expect(text).not.toContain('203.0.113.9')
  })

  test('a signed write arrives byte for byte, once', async () => {
    const before = venue.requests.length
    const order = {
      method: 'POST',
      path: '/v1/order',
      body: '{ "symbol":"PERP_ETH_USDC","é":1.10}',
    } as const
    const response = await ask('/api/prep/relay', jsonPost(envelope(newCaller(), order)))
    expect(response.status).toBe(200)
    const sent = venue.requests.slice(before)
    expect(sent.map(({ body }) => new TextDecoder().decode(body))).toEqual([order.body])
  })

  test('a trading key is taken, because it came by https', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const init = jsonPost(call)
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      accept: 'application/json, text/event-stream',
      'x-account-id': `0x${'ab'.repeat(32)}`,
      'x-trading-key': 'cd'.repeat(32),
    }
    const text = await (await ask('/mcp', { ...init, headers })).text()
    expect(text).toContain('place_order')
    expect(text).not.toContain('forbidden')
  })

  test('what is too large is refused in words', async () => {
    const response = await ask('/api/prep/relay', jsonPost({ body: 'x'.repeat(300_000) }))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'payload_too_large' })
  })

  test('when prepd is gone, nothing is made up', async () => {
    prepd.kill('SIGTERM')
    await prepd.ended()
    expect((await ask('/api/prep/catalogue')).status).toBe(502)
  })
})
