import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { needProgram } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { packagesIn, standIn } from './packing.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Unpacks a package and answers where its documents are. */
const UNPACKED = {
  'tar.xz': (path: string, to: string) => {
    Bun.spawnSync([needProgram('tar'), '-xJf', path, '-C', to])
    return join(to, 'prepd-1.2.3-linux-x64')
  },
  deb: (path: string, to: string) => {
    Bun.spawnSync([needProgram('dpkg-deb'), '-x', path, to])
    return join(to, 'usr/share/doc/prepd')
  },
} as const

test('the README runs the image with the port and the folder that it has', () => {
  const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8')
  const [, port, volume] =
    /docker run -p 127\.0\.0\.1:8080:(\d+) -v prepd:(\S+) prepd`/.exec(read('README.md')) ?? []
  const image = read('config/Dockerfile')
  expect(image).toContain(`\nENV PREPD_LISTEN=0.0.0.0:${port}\n`)
  expect(image).toContain(`\nEXPOSE ${port}\n`)
  expect(image).toContain(`\nENV PREPD_DATA_DIR=${volume}\nUSER`)
  expect(image).toContain('docker build -t prepd -f config/Dockerfile build/out/release\n')
})

describe.each(['tar.xz', 'deb'] as const)('the documents of a %s', (kind) => {
  const out = join(folder.path, kind)
  mkdirSync(out)
  const packing = { target: 'linux-x64', executable: standIn(out) }
  const [path = ''] = packagesIn(join(out, 'made'), packing, kind)
  const root = UNPACKED[kind](path, out)
  const pages = readdirSync(root, { recursive: true })
    .map(String)
    .filter((page) => page.endsWith('.md'))

  test('are there, with the security policy', () => {
    expect(pages).toContain('README.md')
    expect(pages).toContain('SECURITY.md')
  })

  test('link to nothing that is not there', () => {
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to)
      return targets.map((to) => [page, to] as const)
    })
    expect(links.length).toBeGreaterThan(20)
    expect(links.filter(([page, to]) => !existsSync(join(root, dirname(page), to)))).toEqual([])
  })

  test('name no file of the settings that is elsewhere', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const named = [...readme.matchAll(/`[^`\n]*\b((?:config|examples)\/[\w./-]+\w)[^`\n]*`/g)].map(
      ([, to = '']) => to,
    )
    expect(named.length).toBeGreaterThan(8)
    const built = new Set(['config/Dockerfile', 'examples/Dockerfile'])
    expect(named.filter((to) => !built.has(to) && !existsSync(join(root, to)))).toEqual([])
  })
})
