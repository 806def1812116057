import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testsNeeding } from '../programs.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { writePair } from '../tls-pair.ts'

const { afterAll, beforeAll, test } = testsNeeding('starts that fail', 'openssl')

const folder = temporaryFolder()
const at = (name: string): string => join(folder.path, name)
const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })

beforeAll(() => {
  writeFileSync(at('file'), 'text')
  writePair(folder.path, 'one')
  writePair(folder.path, 'two')
  writePair(folder.path, 'open', 0o644)
})
afterAll(async () => {
  await taken.stop(true)
  folder[Symbol.dispose]()
})

const HOST = `127.0.0.1:${taken.port}`
const pair = (cert: string, key: string) => ({ TLS_CERT: at(cert), TLS_KEY: at(key) })

// biome-ignore format: one fault a row
const FAULTS: readonly (readonly [name: string, settings: Record<string, string>, line: string])[] = [
  ['a port that is taken', { LISTEN: HOST }, `LISTEN ${HOST}: is taken: stop`],
  ["a port of the operator's that is taken", { OPS_LISTEN: HOST }, `OPS_LISTEN ${HOST}: is taken: stop`],
  ["a port of the venue's that is taken", { VENUE_LISTEN: HOST }, `VENUE_LISTEN ${HOST}: is taken: stop`],
  ["another machine's address", { LISTEN: '203.0.113.5:80' }, 'LISTEN 203.0.113.5:80: is no address of this machine: choose'],
  ['a file for a directory', { DATA_DIR: at('file') }, `DATA_DIR ${at('file')}: is a file where a directory has to be: name`],
  ['a directory below a file', { DATA_DIR: at('file/in') }, `DATA_DIR ${at('file/in')}: is below a file`],
  ['no certificate', pair('none', 'one.key'), `TLS_CERT ${at('none')}: is not there`],
  ['a certificate that is none', pair('file', 'one.key'), `TLS_CERT ${at('file')}: it holds no certificate in PEM: name`],
  ['a key that is none', pair('one.crt', 'one.crt'), `TLS_KEY ${at('one.crt')}: everybody may read it: chmod`],
  ['a key of another certificate', pair('one.crt', 'two.key'), `TLS_KEY ${at('two.key')}: it is not the key of the certificate: name`],
  ['a key that everybody may read', pair('open.crt', 'open.key'), `TLS_KEY ${at('open.key')}: everybody may read it: chmod 600`],
]

test.each(FAULTS)(
  '%s is refused with the setting, what it says, and what to do',
  async (_, settings, line) => {
    const { code, stdout, stderr } = await spawnPrepd({
      settings: { DATA_DIR: at('data'), ...settings },
    }).ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toStartWith(`prepd: PREPD_${line}`)
    for (const printed of stderr.trimEnd().split('\n')) expect(printed).toStartWith('prepd: PREPD_')
  },
)
