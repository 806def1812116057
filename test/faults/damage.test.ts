import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { UNLIMITED } from './unlimited.ts'

/** Overwrites a part of a file with bytes that mean nothing. */
function garble(path: string, start: number, length: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, start, start + length)
  writeFileSync(path, bytes)
}

type Damage = {
  readonly what: string
  readonly done: (dataDir: string) => void
  /** Whether it starts all the same. */
  readonly starts: boolean
}

const STORE = 'prepd.sqlite'

const DAMAGES: readonly Damage[] = [
  {
    what: 'a store of text',
    starts: false,
    done: (at) => writeFileSync(join(at, STORE), 'x'.repeat(9000)),
  },
  {
    what: 'a store without its beginning',
    starts: false,
    done: (at) => garble(join(at, STORE), 0, 100),
  },
  {
    what: 'a store cut off after its first page',
    starts: false,
    done: (at) => truncateSync(join(at, STORE), 4096),
  },
  {
    what: 'a store cut off inside a page',
    starts: false,
    done: (at) => truncateSync(join(at, STORE), 5000),
  },
  {
    what: 'a store whose table of tables is garbage',
    starts: false,
    done: (at) => garble(join(at, STORE), 100, 3996),
  },
  {
    what: 'a folder where the store should be',
    starts: false,
    done: (at) => {
      rmSync(join(at, STORE))
      mkdirSync(join(at, STORE))
    },
  },
  {
    what: 'a folder where the lock should be',
    starts: false,
    done: (at) => {
      rmSync(join(at, 'prepd.lock'))
      mkdirSync(join(at, 'prepd.lock'))
    },
  },
  {
    what: 'a file where the folder should be',
    starts: false,
    done: (at) => {
      rmSync(at, { recursive: true })
      writeFileSync(at, 'x')
    },
  },
  {
    what: 'a lock of text',
    starts: false,
    done: (at) => writeFileSync(join(at, 'prepd.lock'), 'x'.repeat(5000)),
  },
  { what: 'no lock', starts: true, done: (at) => rmSync(join(at, 'prepd.lock')) },
  {
    what: 'garbage for a write-ahead log',
    starts: true,
    done: (at) => writeFileSync(join(at, `${STORE}-wal`), Buffer.alloc(9000, 0xa5)),
  },
  {
    what: 'garbage for the index of the log',
    starts: true,
    done: (at) => writeFileSync(join(at, `${STORE}-shm`), Buffer.alloc(32_768, 0xa5)),
  },
  {
    what: 'strange files beside the store',
    starts: true,
    done: (at) => {
      writeFileSync(join(at, `${STORE}-journal.bak`), 'x')
      mkdirSync(join(at, 'lost+found'))
    },
  },
]

/** A data directory that has been in use, its server stopped. */
async function usedDirectory(dataDir: string, venueUrl: string): Promise<object> {
  const prepd = spawnPrepd({ settings: { VENUE: venueUrl, DATA_DIR: dataDir, ...UNLIMITED } })
  // A new store sends nothing that was signed before it was made.
  const url = await prepd.url()
  const body = JSON.stringify({ client_order_id: crypto.randomUUID() })
  const signed = envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
  const response = await fetch(`${url}/api/prep/relay`, jsonPost(signed))
  if (!response.ok) throw new Error(await response.text())
  prepd.kill('SIGTERM')
  await prepd.ended()
  return signed
}

describe('a data directory with', () => {
  // Slow: executables start on what another has left.
  test.each([...DAMAGES])('$what', async ({ done, starts }) => {
    using folder = temporaryFolder()
    const venue = await startRecordingUpstream()
    const dataDir = join(folder.path, 'data')
    const signed = await usedDirectory(dataDir, venue.url)
    done(dataDir)
    const prepd = spawnPrepd({ settings: { VENUE: venue.url, DATA_DIR: dataDir, ...UNLIMITED } })
    if (starts) {
      const again = await fetch(`${await prepd.url()}/api/prep/relay`, jsonPost(signed))
      expect({ status: again.status, ...Object(await again.json()) }).toMatchObject({
        status: 409,
        code: 'outcome_unknown',
      })
      prepd.kill('SIGTERM')
      expect((await prepd.ended()).code).toBe(0)
    } else {
      const { code, stdout, stderr } = await prepd.ended()
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^prepd: [^\n]+\n$/)
      expect(stderr).toContain(dataDir)
      expect(stderr).toMatch(/DATA_DIR/)
      expect(existsSync(dataDir) && statSync(dataDir).size).not.toBe(0)
    }
    expect(venue.requests).toHaveLength(1)
    await venue.stop()
  })
})

describe('a write is not sent again after a kill and', () => {
  const LOSSES = [
    {
      what: 'a write-ahead log that is gone',
      lose: (dataDir: string) => {
        for (const end of ['-wal', '-shm']) rmSync(join(dataDir, STORE + end), { force: true })
      },
    },
    {
      what: 'a write-ahead log that lost its tail',
      lose: (dataDir: string) => {
        const log = join(dataDir, `${STORE}-wal`)
        truncateSync(log, Math.floor(statSync(log).size / 2))
      },
    },
  ]

  test.each([...LOSSES])('$what', async ({ lose }) => {
    using folder = temporaryFolder()
    const venue = await startRecordingUpstream()
    const dataDir = join(folder.path, 'data')
    await usedDirectory(dataDir, venue.url)
    const settings = { VENUE: venue.url, DATA_DIR: dataDir, ...UNLIMITED }
    const first = spawnPrepd({ settings })
    const body = JSON.stringify({ client_order_id: crypto.randomUUID() })
    const signed = envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
    const sent = await fetch(`${await first.url()}/api/prep/relay`, jsonPost(signed))
    expect(sent.status).toBe(200)
    first.kill('SIGKILL')
    await first.ended()
    lose(dataDir)
    const second = spawnPrepd({ settings })
    const again = await fetch(`${await second.url()}/api/prep/relay`, jsonPost(signed))
    const answer = { status: again.status, ...Object(await again.json()) }
    expect(answer).toMatchObject({ status: 409, code: 'outcome_unknown' })
    expect(venue.requests.filter(({ text }) => text === body)).toHaveLength(1)
    second.kill('SIGTERM')
    await second.ended()
    await venue.stop()
  })
})
