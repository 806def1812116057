// Slow: three servers and six commands are executables that start, and a tour trades.
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BACKUP_MARK_FILE } from '../../src/contract/operator/process.ts'
import { envelope, type TestCall } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { openTarget } from '../target.ts'
import { RELAY, SYMBOL } from './asked.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'
import { type Fetcher, newUser, post } from './wallets.ts'

const WRITERS = 4
/** Answered before the backup begins, and again after it has ended. */
const WRITES_MIN = 20

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const serverOn = (dataDir: string) =>
  openTarget('compiled binary', { ...UNLIMITED, DATA_DIR: dataDir })

/** What a command of the operator says of the store in a data directory. */
async function run(dataDir: string, ...command: string[]) {
  const argv = ['--mode', 'admin', ...command]
  const { code, stdout, stderr } = await spawnPrepd({
    argv,
    settings: { DATA_DIR: dataDir },
  }).ended()
  return { code, output: `${stdout}${stderr}` }
}

function orderOf(id: string, terms: object): TestCall {
  const body = JSON.stringify({ symbol: SYMBOL, side: 'BUY', client_order_id: id, ...terms })
  return { method: 'POST', path: '/v1/order', body }
}

type Signed = ReturnType<typeof envelope>

/** Writes one order after the other, signed once each, until it is stopped. */
function writeOn(server: Fetcher, sign: (id: string) => Signed) {
  const answered: Signed[] = []
  const refused: object[] = []
  const over = { yet: false }
  let count = 0
  const writer = async () => {
    while (!over.yet) {
      const signed = sign(`w${count++}`)
      const { status, body } = await post(server, RELAY, signed)
      if (status === 200) answered.push(signed)
      else refused.push(body)
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, writer))
  return {
    answered,
    more: async (writes: number) => {
      const enough = answered.length + writes
      while (answered.length < enough && refused.length === 0) await Bun.sleep(1)
    },
    end: async () => {
      over.yet = true
      await writers
      return refused
    },
  }
}

/** Moves the restore of a store that nobody has open into the past. */
function letPass(dataDir: string, ms: number): void {
  using database = new Database(join(dataDir, 'prepd.sqlite'))
  database.run('UPDATE commits SET lost_at_ms = lost_at_ms - ?', [ms])
}

test('a backup made under load is a whole server on an empty box, and nothing is placed twice', async () => {
  const [first, next, file] = ['first', 'next', 'backup'].map((name) => join(folder.path, name))
  if (!first || !next || !file) throw new Error('no folder')
  const server = await serverOn(first)
  const [holder, busy] = [await newUser(server), await newUser(server)]
  const position = async (of: Fetcher) => {
    const path = `/v1/position/${SYMBOL}`
    return (await post(of, RELAY, envelope(holder, { method: 'GET', path }))).body
  }
  const idsOpen = async (of: Fetcher): Promise<string[]> => {
    const path = '/v1/orders?status=INCOMPLETE&size=500'
    const { body } = await post(of, RELAY, envelope(busy, { method: 'GET', path }))
    return Object(body).rows.map((row: { client_order_id: string }) => row.client_order_id)
  }
  const bought = orderOf('held', { order_type: 'MARKET', order_quantity: 0.5 })
  expect((await post(server, RELAY, envelope(holder, bought))).status).toBe(200)
  const held = await position(server)
  expect(held['position_qty']).toBe(0.5)
  const order_price = Math.round(Number(held['average_open_price']) * 0.9)
  const resting = (id: string) =>
    envelope(busy, orderOf(id, { order_type: 'LIMIT', order_price, order_quantity: 0.01 }))

  const load = writeOn(server, resting)
  await load.more(WRITES_MIN)
  const before = [...load.answered]
  expect(await run(first, 'backup', file)).toMatchObject({ code: 0 })
  await load.more(WRITES_MIN)
  expect(await load.end()).toEqual([])
  const unsent = resting('unsent')
  await server.stop()

  const restored = await run(next, 'restore', file)
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('are not sent') })
  expect((await run(next, 'restore', file)).code).toBe(1)
  let box = await serverOn(next)
  const { position_qty, average_open_price } = held
  expect(await position(box)).toMatchObject({ position_qty, average_open_price })
  const open = await idsOpen(box)
  for (const { body = '' } of before) expect(open).toContain(JSON.parse(body).client_order_id)

  for (const signed of [unsent, ...load.answered.slice(0, 1), ...load.answered.slice(-1)]) {
    expect(await post(box, RELAY, signed)).toMatchObject({
      status: 409,
      body: { code: 'outcome_unknown' },
    })
  }
  expect((await idsOpen(box)).sort()).toEqual(open.sort())
  expect(open).not.toContain('unsent')
  // Nobody knows whether a timestamp ahead of the restore was sent, so what is signed now waits for five minutes.
  expect(await post(box, RELAY, resting('soon'))).toMatchObject({ status: 409 })
  await box.stop()
  letPass(next, 300_000)
  box = await serverOn(next)
  const unconfirmed = await post(box, RELAY, resting('early'))
  expect(unconfirmed).toMatchObject({ status: 503, body: { meta: { reason: 'restored' } } })
  await box.stop()
  expect(await run(next, 'loss', 'confirm', '--offline')).toMatchObject({ code: 0 })
  box = await serverOn(next)
  expect((await post(box, RELAY, resting('since'))).status).toBe(200)
  const openSince = await idsOpen(box)
  expect(openSince).toContain('since')
  expect(openSince).not.toContain('early')

  const tour = await run(join(folder.path, 'none'), 'tour', '--url', (await box.listening()).public)
  expect(tour).toMatchObject({ code: 0, output: expect.stringContaining('Every step did what it') })
  await box.stop()
})

test('the metrics show the time of the last backup, and the command says where it could not be left', async () => {
  const dataDir = join(folder.path, 'marked')
  const server = await openTarget('compiled binary', {
    DATA_DIR: dataDir,
    OPS_LISTEN: '127.0.0.1:0',
  })
  const backupMs = async () => {
    const page = await (await server.ops('/metrics')).text()
    return Number(/^prepd_backup_time_seconds (\S+)$/m.exec(page)?.[1]) * 1000
  }
  expect(await backupMs()).toBe(0)
  const fromMs = Math.floor(Date.now() / 1000) * 1000
  const copied = await run(dataDir, 'backup', join(folder.path, 'copy-1'))
  expect(copied).toMatchObject({ code: 0, output: expect.not.stringContaining('warning') })
  const firstMs = await backupMs()
  expect(firstMs).toBeGreaterThanOrEqual(fromMs)
  expect(firstMs).toBeLessThanOrEqual(Date.now())

  // A copy that could not be made is no backup.
  expect((await run(dataDir, 'backup', join(folder.path, 'copy-1'))).code).toBe(1)
  expect(await backupMs()).toBe(firstMs)
  expect((await run(dataDir, 'backup', join(folder.path, 'copy-2'))).code).toBe(0)
  expect(await backupMs()).toBeGreaterThan(firstMs)

  rmSync(join(dataDir, BACKUP_MARK_FILE))
  mkdirSync(join(dataDir, BACKUP_MARK_FILE))
  const unmarked = await run(dataDir, 'backup', join(folder.path, 'copy-3'))
  expect(unmarked).toMatchObject({ code: 0, output: expect.stringContaining('warning') })
  await server.stop()
})
