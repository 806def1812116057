import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleParts, partsOf, ROOT } from '../../build/bundle.ts'
import { bundledNotices, noticeText, render } from '../../build/notices.ts'

describe('NOTICE', () => {
  // Slow: the whole program is bundled.
  test('is what the packages in the program say today', async () => {
    expect(await Bun.file(join(ROOT, 'NOTICE')).text()).toBe(await noticeText())
  })

  // Slow: the whole program is bundled.
  test('names every package of the bundle with its version and licence, and no other', async () => {
    const { outputs } = await bundleParts()
    const bundled = Object.values(outputs)
      .flatMap(({ inputs }) => Object.keys(inputs))
      .flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
    const text = await Bun.file(join(ROOT, 'NOTICE')).text()
    const named = [...text.matchAll(/^(\S+) \d\S+ \([\w.-]+\)$/gm)].map(([, name]) => name)
    expect([...new Set(named)].toSorted()).toEqual([...new Set(['bun', ...bundled])].toSorted())
    expect(named).toContain('elysia')
    expect(named).not.toContain('typescript')
  })

  test('holds what is bundled inside the reference page, and the licences that the runtime names', async () => {
    const text = await Bun.file(join(ROOT, 'NOTICE')).text()
    for (const words of [
      'SmartBear Software Inc.',
      'DOMPurify',
      'Bun statically links JavaScriptCore',
      'GNU LIBRARY GENERAL PUBLIC LICENSE',
      'GNU LESSER GENERAL PUBLIC LICENSE',
    ]) {
      expect(text).toContain(words)
    }
  })
})

test('packages with the same text share it', () => {
  const notice = (name: string, text: string) => ({ name, version: '1.0.0', license: 'MIT', text })
  const text = render([notice('a', 'same words'), notice('b', 'other'), notice('c', 'same words')])
  expect(text.match(/same words/g)).toHaveLength(1)
  expect(text).toMatch(/a 1\.0\.0 \(MIT\)\nc 1\.0\.0 \(MIT\)\n=+\n\nsame words\n/)
})

describe('a planted package', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prepd-notices-'))
    plant('main.ts', "import { planted } from 'planted'\nconsole.log(planted)\n")
    plant('node_modules/planted/index.js', 'export const planted = 1\n')
    plant('node_modules/idle/index.js', 'export const idle = 1\n')
    facts({ license: 'MIT' })
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function plant(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }

  function facts(more: object): void {
    const own = { name: 'planted', version: '1.2.3', main: 'index.js', ...more }
    plant('node_modules/planted/package.json', JSON.stringify(own))
  }

  async function notices() {
    const entrypoints = [join(folder, 'main.ts')]
    return bundledNotices(partsOf(await Bun.build({ entrypoints, metafile: true })))
  }

  test('without a licence text is refused by name', async () => {
    plant('node_modules/planted/README.md', 'MIT')
    plant('node_modules/planted/NOTICE', 'made by us')
    await expect(notices()).rejects.toThrow('planted 1.2.3 has no licence text')
  })

  test('that does not name its licence is refused by name', async () => {
    plant('node_modules/planted/LICENSE', 'do as you like')
    facts({})
    await expect(notices()).rejects.toThrow('planted 1.2.3 does not name its licence')
  })

  test('gives its licence, its notice and what was bundled into it; one that is not imported gives nothing', async () => {
    plant('node_modules/planted/license.md', '\ndo as you like\r\n\r\n')
    plant('node_modules/planted/NOTICE', 'made by us\n')
    plant('node_modules/planted/index.js.LICENSE.txt', 'parts by others\n')
    const [notice, ...others] = await notices()
    expect(others).toEqual([])
    expect(notice).toMatchObject({ name: 'planted', version: '1.2.3', license: 'MIT' })
    expect(notice?.text.split(/\n\n-+\n\n/)).toEqual([
      'do as you like',
      'made by us',
      'parts by others',
    ])
  })
})

test('the build fails on a package without a licence text, and names it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-build-'))
  try {
    for (const path of ['build', 'package.json', 'node_modules/elysia/package.json']) {
      cpSync(join(ROOT, path), join(folder, path), {
        recursive: true,
        filter: (source) => !source.endsWith('build/out'),
      })
    }
    mkdirSync(join(folder, 'node_modules/planted'))
    mkdirSync(join(folder, 'src'))
    const own = { name: 'planted', version: '1.2.3', license: 'MIT', main: 'index.js' }
    writeFileSync(join(folder, 'node_modules/planted/package.json'), JSON.stringify(own))
    writeFileSync(join(folder, 'node_modules/planted/index.js'), 'export const planted = 1\n')
    writeFileSync(
      join(folder, 'src/main.ts'),
      "import { planted } from 'planted'\nprocess.exitCode = planted\n",
    )
    writeFileSync(join(folder, 'src/venue-thread.ts'), 'export {}\n')
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'build/compile.ts'], {
      cwd: folder,
    })
    expect(stderr.toString()).toContain('planted 1.2.3 has no licence text')
    expect(exitCode).toBe(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
