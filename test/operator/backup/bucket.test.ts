import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Bucket } from '../../../src/operator/backup/config.ts'
import { makeBackup } from '../../../src/operator/backup/make.ts'
import { drillBackup, findBackup } from '../../../src/operator/backup/restore.ts'
import { openBackupTarget } from '../../../src/operator/backup/target.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { rejection } from '../../rejection.ts'
import { ACCESS_KEY, BUCKET, failure, type S3Server, startS3 } from './s3-server.ts'

const START_MS = Date.parse('2026-11-23T05:30:00Z')
const CLOSED = '127.0.0.1:9'

let root: string
let dataDir: string
let identity: string
let s3: S3Server
let host: string

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'prepd-bucket-'))
  dataDir = join(root, 'data')
  openSqlite(join(dataDir, 'prepd.sqlite'), START_MS).close()
  identity = await generateX25519Identity()
  s3 = startS3()
  host = new URL(s3.endpoint).host
})
afterEach(() => {
  s3.stop()
  rmSync(root, { recursive: true })
})

function placeAt(given: Partial<Bucket> = {}) {
  const [accessKeyId, secretAccessKey] = [ACCESS_KEY.id, ACCESS_KEY.secret]
  const { endpoint } = s3
  const own = { endpoint, bucket: BUCKET, prefix: 'prepd/', accessKeyId, secretAccessKey }
  return openBackupTarget({ s3: { ...own, ...given } })
}

async function make(place = placeAt()) {
  const keep = { daily: 2, weekly: 0, monthly: 0 }
  const recipients = [await identityToRecipient(identity)]
  const config = { everyMs: 3_600_000, keep, recipients, to: { folder: '/' } }
  const of = { service: 'prepd', version: '1.2.3', isFirst: false, nowMs: START_MS }
  return makeBackup({ config, place, dataDir, ...of })
}

/** The message of a failure, which holds neither the key nor what S3 says beside its code. */
async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await rejection(work)
  const message = error instanceof Error ? error.message : ''
  expect(message).not.toContain(ACCESS_KEY.id)
  expect(message).not.toContain(ACCESS_KEY.secret)
  expect(message).not.toContain('X-Amz')
  return message
}

const proxied = (status: number) => () => new Response('<html>Bad Gateway</html>', { status })

/** A fault of calls on a backup alone. */
const only = (method: string, answer: () => Response) => (request: Request) =>
  request.method === method && !request.url.includes('list-type') ? answer() : null

function cut(): Response {
  const [whole = new Uint8Array()] = s3.objects.values()
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(whole.slice(0, whole.length / 2))
    controller.error(new Error('cut'))
  }
  return new Response(new ReadableStream({ pull }))
}

test.each([
  ['a wrong key', { secretAccessKey: 'another' }, 'refused: 403 SignatureDoesNotMatch'],
  ['no such bucket', { bucket: 'missing' }, 'refused: 404 NoSuchBucket'],
  ['a closed port', { endpoint: `http://${CLOSED}` }, 'failed: ConnectionRefused'],
])('a bucket with %s is named with its host and the status', async (_, given, reason) => {
  const { bucket = BUCKET, endpoint } = given as Partial<Bucket>
  const at = endpoint ? CLOSED : host
  expect(await reasonOf(make(placeAt(given)))).toBe(`bucket ${bucket} at ${at} ${reason}`)
  expect(s3.objects.size).toBe(0)
})

test.each([
  ['a proxy without an answer of S3', proxied(502), 'refused: 502'],
  ['an error of S3', () => failure(500, 'InternalError'), 'refused: 500 InternalError'],
  [
    'a code that is not listed',
    () => failure(403, 'RequestTimeTooSkewed'),
    'refused: 403 RequestTimeTooSkewed',
  ],
])('%s is named with its status', async (_, answer, reason) => {
  s3.failWith(answer)
  expect(await reasonOf(make())).toBe(`bucket ${BUCKET} at ${host} ${reason}`)
  s3.failWith(only('PUT', answer))
  expect(await reasonOf(make())).toContain(`bucket ${BUCKET} at ${host} `)
  expect(s3.objects.size).toBe(0)
})

test('a broken connection is not named with the status of a later call', async () => {
  const answer = new Response(new ReadableStream({ pull: (to) => to.error(new Error('cut')) }))
  s3.failWith(({ method }) => (method === 'HEAD' ? proxied(403)() : answer))
  expect(await reasonOf(make())).toBe(`bucket ${BUCKET} at ${host} failed: ConnectionClosed`)
})

test.each([
  ['refused', () => failure(403, 'AccessDenied'), 'refused: 403 AccessDenied'],
  ['not answered by S3', proxied(503), `bucket ${BUCKET}`],
  ['cut', cut, `bucket ${BUCKET}`],
])(
  'a backup whose reading is %s is not taken for damaged, and neither is it later',
  async (_, answer, reason) => {
    s3.failWith(only('GET', answer))
    const made = await reasonOf(make())
    expect(made).toContain('is stored, but was not read back: bucket backups at ')
    expect(made).toContain(reason)
    expect([...s3.objects.keys()]).toHaveLength(1)
    const place = placeAt()
    const name = await findBackup(place, 'latest')
    const drill = async () =>
      drillBackup({ bytes: await place.read(name), identity, dataDir, nowMs: START_MS })
    expect(await reasonOf(drill())).toContain(reason)
    s3.failWith(() => null)
    expect(await drill()).toMatchObject({ madeAtMs: START_MS })
  },
)

test('a backup that arrived short is marked as damaged, and is not the latest', async () => {
  const short = () => new Response(Buffer.from([...s3.objects.values()][0]?.slice(0, -40) ?? []))
  s3.failWith(only('GET', short))
  expect(await reasonOf(make())).toMatch(/is marked as damaged, since \d+ of \d+ bytes arrived$/)
  s3.failWith(() => null)
  expect(await reasonOf(findBackup(placeAt(), 'latest'))).toContain('there is no backup latest')
})
