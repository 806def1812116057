// Slow: the syntax tree of every file is searched.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { unguarded } from './callbacks.ts'

const ROOT = join(import.meta.dir, '../..')
const SOURCES = new Map(
  [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].map((path) => [path, Bun.file(join(ROOT, path))]),
)

describe('timers, callbacks and detached promises of the process', () => {
  test('each has an owner that catches what it throws', async () => {
    const texts = await Promise.all(
      SOURCES.entries().map(async ([path, file]) => [path, await file.text()] as const),
    )
    expect(texts.length).toBeGreaterThan(500)
    expect(unguarded(new Map(texts))).toEqual([])
  })

  test.each([
    ['setTimeout(() => work(), 5)', 'setTimeout'],
    ['const timer = setInterval(work, 5)', 'setInterval'],
    ['setImmediate(work)', 'setImmediate'],
    ['queueMicrotask(work)', 'queueMicrotask'],
    ["emitter.on('error', () => work())", '.on()'],
    ['emitter.once(name, work)', '.once()'],
    ["signal.addEventListener('abort', () => work())", '.addEventListener()'],
    ['socket.onmessage = (event) => work(event)', '.onmessage ='],
    ['void promise.then(work)', '.then()'],
    ['promise.then(work)', '.then()'],
    ['promise.catch(work).finally(work)', '.finally()'],
    ['async function work() {}\nvoid work()', 'work'],
    ['async function work() {}\nwork()', 'work'],
    ['const work = async () => 1\nwork()', 'work'],
    ['const H: Bun.SocketHandler = { drain: ok, data: (socket) => work(socket) }', 'data:'],
    ['Bun.serve({ websocket: { message(socket) { work(socket) } } })', 'message:'],
  ])('%s is found', (text, what) => {
    expect(unguarded(new Map([['src/live/planted.ts', text]]))).toEqual([
      `src/live/planted.ts: ${what}`,
    ])
  })

  test.each([
    "after('stream', 5, work)",
    "emitter.on('error', guarded('store', work))",
    "const stop = guarded('mcp', work)\nsignal.addEventListener('abort', stop)",
    "const lost = guarded('store', work)\nsocket.onclose = lost",
    'promise.then(work, ignore)',
    'promise.catch(ignore)',
    'async function work() {}\nawait work()',
    'void set.add(1)',
    "const H: Bun.SocketHandler = { open: ok, data: guarded('upstream', work) }",
  ])('%s is not', (text) => {
    expect(unguarded(new Map([['src/live/planted.ts', text]]))).toEqual([])
  })
})
