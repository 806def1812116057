// Slow: the executable is copied into a root of its own and started there.
import { expect } from 'bun:test'
import { chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../free-port.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { served } from './packing.ts'

const { afterAll, test } = testsNeeding('the container image', 'ldd', 'unshare', 'chroot')

const CONFIG = join(import.meta.dir, '../../config')
const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname
const DOCKERFILE = readFileSync(join(CONFIG, 'Dockerfile'), 'utf8')

const PATH = process.env['PATH'] ?? ''
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const valueAfter = (pattern: RegExp): string => pattern.exec(DOCKERFILE)?.[1] ?? ''

/** A root with what the image has: the executable, the C library it names, and a directory for data. */
function makeRoot(): string {
  const root = join(folder.path, 'root')
  const libraries = Bun.spawnSync([needProgram('ldd'), BINARY]).stdout.toString()
  const paths = [...libraries.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
  for (const path of paths) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    cpSync(path, join(root, path), { dereference: true })
  }
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  cpSync(BINARY, join(root, 'usr/bin/prepd'))
  for (const name of ['proc', 'dev', 'data']) mkdirSync(join(root, name), { mode: 0o700 })
  return root
}

test('as the image starts it, by a user without a name and without a shell, prepd serves and is found healthy', async () => {
  const root = makeRoot()
  const isRoot = process.getuid?.() === 0
  const user = valueAfter(/^USER (\S+)$/m)
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  expect(uid).toBeGreaterThan(0)
  if (isRoot) chownSync(join(root, 'data'), uid, gid)
  const inside = [
    ...[needProgram('unshare'), '--mount', ...(isRoot ? [] : ['--map-root-user'])],
    ...['sh', '-c', ENTER, 'sh', root, ...(isRoot ? [`--userspec=${user}`] : [])],
    root,
  ]
  const given = [...DOCKERFILE.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  // The image's ports may be taken here.
  const env = {
    PATH,
    ...Object.fromEntries(given),
    PREPD_LISTEN: '127.0.0.1:0',
    PREPD_OPS_LISTEN: OPS,
  }
  const entry: string[] = JSON.parse(valueAfter(/^ENTRYPOINT (\[.+\])$/m))
  const health: string[] = JSON.parse(valueAfter(/ CMD (\[.+\])$/m))
  const check = () => Bun.spawnSync([...inside, ...health], { env }).exitCode
  expect(check()).toBe(1)
  const child = Bun.spawn([...inside, ...entry], { env, stdout: 'pipe', stderr: 'inherit' })
  let output = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk
    if (output.includes('console:')) break
  }
  expect(check()).toBe(0)
  const url = /listening on (\S+)/.exec(output)?.[1] ?? ''
  await served(url)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(check()).toBe(1)
})

/** A container has these two of its own. */
const ENTER =
  'mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && exec chroot "$@"'

const OPS = `127.0.0.1:${freePort()}`

test('what the image copies is what the package holds', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY --from=package \/package(\S+) (\S+)$/gm)]
  expect(copied.map(([, from, to]) => [from, to])).toEqual([
    ['/usr/bin/prepd', '/usr/bin/prepd'],
    ['/usr/share/doc/prepd', '/usr/share/doc/prepd'],
  ])
})
