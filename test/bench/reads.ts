import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { note } from './aims.ts'
import { BROWSER, interleave, line, type Throughput, throughput } from './measure.ts'
import { CORES, type Running, startNginx, startPrepd, startRole } from './servers.ts'

type Scene = {
  readonly what: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly note: (ofBare: number, ofNginx: number) => void
}

const SMALL = '/api/prep/config'
const LARGE = '/api/prep/markets'

const SCENES: readonly Scene[] = [
  {
    what: 'bare requests',
    path: SMALL,
    headers: {},
    settings: {},
    note: (ofBare, ofNginx) => {
      note('smallOfBare', ofBare)
      note('smallOfNginx', ofNginx)
    },
  },
  {
    what: '13 headers, Origin, trusted proxy',
    path: SMALL,
    headers: BROWSER,
    settings: { TRUSTED_PROXIES: '127.0.0.0/8', ALLOWED_ORIGINS: 'https://app.example' },
    note: (ofBare, ofNginx) => {
      note('realOfBare', ofBare)
      note('realOfNginx', ofNginx)
    },
  },
  {
    what: 'plain',
    path: LARGE,
    headers: {},
    settings: {},
    note: (ofBare, ofNginx) => {
      note('plainOfBare', ofBare)
      note('plainOfNginx', ofNginx)
    },
  },
  {
    what: 'gzip',
    path: LARGE,
    headers: { 'Accept-Encoding': 'gzip' },
    settings: {},
    note: (ofBare, ofNginx) => {
      note('gzipOfBare', ofBare)
      note('gzipOfNginx', ofNginx)
    },
  },
]

/**
 * Kept reads beside a bare server that answers the same bytes, and nginx that has them cached. Those two send the bytes
 * and their type, and nginx keeps no log; prepd's answers have nine headers more (lifetime, age, tag, id, who may read
 * them, what kind of venue), and each is charged to the address that asks, which costs it a system call.
 */
export async function keptReads(): Promise<void> {
  for (const scene of SCENES) {
    const prepd = await startPrepd(scene.settings)
    const file = await bodyOf(prepd, scene)
    const bare = await startRole('bare', CORES.server, file)
    const nginx = await startNginx(bare.url)
    const rows = interleave({
      prepd: () => throughput(prepd, scene.path, scene.headers),
      bare: () => throughput(bare, '/', scene.headers),
      nginx: () => throughput(nginx, '/cached/', scene.headers),
    })
    console.log(`\nkept GET ${scene.path}, ${scene.what}; limits, address and request id on`)
    for (const [name, row] of Object.entries(rows)) console.log(line(name, row))
    const { bare: minimal, nginx: peer, prepd: own } = rows
    console.log(`  prepd / bare ${ratio(own, minimal)}   prepd / nginx ${ratio(own, peer)}`)
    scene.note(minimal.mainMicros / own.mainMicros, peer.mainMicros / own.mainMicros)
    await Promise.all([nginx, bare, prepd].map((server) => server.stop()))
  }
}

/** A file with the bytes that prepd answers, packed as they are asked for. */
async function bodyOf(prepd: Running, { path, headers }: Scene): Promise<string> {
  const undecoded: object = { decompress: false }
  const encoding = headers['Accept-Encoding'] ?? 'identity'
  const response = await fetch(prepd.url + path, {
    headers: { 'accept-encoding': encoding },
    ...undecoded,
  })
  const file = join(mkdtempSync(join(tmpdir(), 'prepd-bytes-')), 'body.json')
  writeFileSync(file, await response.bytes())
  return file
}

function ratio(a: Throughput, b: Throughput): string {
  return `${(a.perSecond / b.perSecond).toFixed(2)} (main thread ${(b.mainMicros / a.mainMicros).toFixed(2)})`
}
