// Slow: an executable starts and stops, and a program of Python listens to it.
import { expect } from 'bun:test'
import { join } from 'node:path'

import { needProgram, testsNeeding } from '../programs.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'

const { afterAll, test } = testsNeeding('notices to systemd', 'python3')

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Receives datagrams on a socket as systemd does, and prints each on a line; the runtime of these tests cannot. */
const LISTEN = `
import socket, sys
name = sys.argv[1]
received = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
received.bind("\\0" + name[1:] if name[0] == "@" else name)
print("bound", flush=True)
while True:
    state = received.recv(4096).decode()
    print(state, flush=True)
    if state == "STOPPING=1":
        break
`

test.each(['a path', 'an abstract name'])(
  'systemd hears on %s that prepd is ready, alive and stopping',
  async (kind) => {
    const socket = kind === 'a path' ? join(folder.path, 'notify') : `@prepd-test-${process.pid}`
    const systemd = Bun.spawn([needProgram('python3'), '-c', LISTEN, socket], { stdout: 'pipe' })
    let received = ''
    const states = (): string[] => received.trim().split('\n')
    const hearing = (async () => {
      for await (const chunk of systemd.stdout.pipeThrough(new TextDecoderStream()))
        received += chunk
    })()
    while (!received.includes('bound')) await Bun.sleep(5)
    const prepd = spawnPrepd({
      settings: { DATA_DIR: join(folder.path, kind) },
      env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '100000' },
    })
    await prepd.url()
    while (states().filter((state) => state === 'WATCHDOG=1').length < 3) await Bun.sleep(5)
    prepd.kill('SIGTERM')
    expect((await prepd.ended()).code).toBe(0)
    await hearing
    expect(states()[0]).toBe('bound')
    expect(states().filter((state) => state === 'READY=1')).toHaveLength(1)
    expect(states().at(-1)).toBe('STOPPING=1')
  },
)

test('the watchdog of another process is not told', async () => {
  const socket = join(folder.path, 'other')
  const systemd = Bun.spawn([needProgram('python3'), '-c', LISTEN, socket], { stdout: 'pipe' })
  const printed = systemd.stdout.text()
  while (
    !(await Bun.file(socket)
      .stat()
      .then(
        () => true,
        () => false,
      ))
  )
    await Bun.sleep(5)
  const prepd = spawnPrepd({
    settings: { DATA_DIR: join(folder.path, 'other-data') },
    env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000', WATCHDOG_PID: '1' },
  })
  await prepd.url()
  prepd.kill('SIGTERM')
  await prepd.ended()
  expect(await printed).toBe('bound\nREADY=1\nSTOPPING=1\n')
})

test.each(['throw new TypeError("secret")', 'Promise.reject(new TypeError("secret"))'])(
  'an error that nobody catches (%s) ends the process with a code that the unit restarts',
  async (fault) => {
    const module = new URL('../../src/main/crash.ts', import.meta.url).pathname
    const script = `
    const { exitOnCrash } = await import(${JSON.stringify(module)})
    const write = (event, fields) => console.error(JSON.stringify({ event, ...fields }))
    exitOnCrash({ error: write, warn: write, info: write, debug: write }, process.exit)
    setTimeout(() => { ${fault} }, 1)
    setInterval(() => undefined, 1000)`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
    expect(await child.exited).toBe(70)
    const printed = await child.stderr.text()
    expect(printed).toContain('"event":"uncaught","error":"TypeError"')
    expect(printed).not.toContain('secret')
  },
)

test('the unit restarts a crash, and no start that cannot succeed', async () => {
  const unit = await Bun.file(new URL('../../config/prepd.service', import.meta.url)).text()
  expect(unit).toContain('\nRestart=on-failure\n')
  const [, kept = ''] = /^RestartPreventExitStatus=(.+)$/m.exec(unit) ?? []
  expect(kept.split(' ')).toEqual(['1', '64'])
  expect(kept.split(' ')).not.toContain('70')
  expect(unit).toContain('\nType=notify\n')
})
