// Slow: a pipe is filled that nobody reads.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { eventually, linesOf } from './lines.ts'

const ENOUGH = 5000
const AT_ONCE = 50
/** As long as an id may be, so that few requests fill a pipe and all that waits for it. */
const ID = 'i'.repeat(120)

let folder: ReturnType<typeof temporaryFolder>
let fifo = ''

beforeEach(() => {
  folder = temporaryFolder()
  fifo = join(folder.path, 'log')
  Bun.spawnSync(['mkfifo', fifo])
})
afterEach(() => {
  folder[Symbol.dispose]()
})

function spawnLogging(before: string) {
  return spawnPrepd({
    before,
    settings: {
      DATA_DIR: join(folder.path, 'data'),
      OPS_LISTEN: '127.0.0.1:0',
      LOG: 'info',
      LOG_REQUESTS: '1000000',
      LIMIT_READ: 'off',
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
  })
}

async function ask(url: string, id: string): Promise<number> {
  const response = await fetch(`${url}/api/prep/config`, { headers: { 'x-request-id': id } })
  await response.text()
  return response.status
}

async function askMany(url: string): Promise<number[]> {
  const statuses: number[] = []
  for (let asked = 0; asked < ENOUGH; asked += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, at) => `${ID}-${asked + at}`)
    statuses.push(...(await Promise.all(ids.map((id) => ask(url, id)))))
  }
  return statuses
}

async function linesLost(opsUrl: string): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text()
  return Number(/^prepd_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])
}

test('a log that nobody reads stops nothing, takes no more memory, and says later what it lost', async () => {
  const prepd = spawnLogging(`exec 2<>${fifo}`)
  const url = await prepd.url()
  const console = await eventually(() => /^console: (http:\S+)\/$/m.exec(prepd.output())?.[1])
  expect(await linesLost(console)).toBe(0)
  expect(new Set(await askMany(url))).toEqual(new Set([200]))
  const lost = await linesLost(console)
  expect(lost).toBeGreaterThan(0)
  const received = join(folder.path, 'heard')
  const reader = Bun.spawn(['cat', fifo], { stdout: Bun.file(received) })
  const printed = () => linesOf(readFileSync(received, 'utf8').replace(/[^\n]*$/, ''))
  await eventually(() => printed()[ENOUGH - lost - 1])
  await ask(url, 'after')
  const logged = await eventually(() => printed().find(({ event }) => event === 'log_lines_lost'))
  expect(logged).toMatchObject({ level: 'warn', lines: lost })
  await eventually(() => printed().find(({ request }) => request === 'after'))
  expect(printed().at(-1)?.['request']).toBe('after')
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
  await reader.exited
})

test('whoever reads the log may go: the server stays, and stops when it is told to', async () => {
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
  const prepd = spawnLogging(`exec 2>${fifo}`)
  const url = await prepd.url()
  closeSync(reader)
  expect(await ask(url, 'one')).toBe(200)
  expect(await ask(url, 'two')).toBe(200)
  const console = await eventually(() => /^console: (http:\S+)\/$/m.exec(prepd.output())?.[1])
  expect(await linesLost(console)).toBeGreaterThan(0)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

test('the lines have priorities where stderr is the stream that JOURNAL_STREAM names, and nowhere else', async () => {
  const lines = async (stream: string) => {
    const before = `exec 2> ${join(folder.path, 'err')}; JOURNAL_STREAM=${stream}; export JOURNAL_STREAM`
    const prepd = spawnLogging(before)
    await prepd.url()
    prepd.kill('SIGTERM')
    await prepd.ended()
    return readFileSync(join(folder.path, 'err'), 'utf8').trim().split('\n')
  }
  const { dev, ino } = statSync(fifo)
  const other = await lines(`${dev}:${ino}`)
  expect(other.every((line) => line.startsWith('{'))).toBe(true)
  const same = await lines(`$(stat -c %d:%i ${join(folder.path, 'err')})`)
  expect(same.every((line) => /^<[3467]>\{/.test(line))).toBe(true)
})
