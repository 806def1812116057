import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { retiredWords } from './vocabulary.ts'

const ROOT = join(import.meta.dir, '../..')
const PATHS = [...new Bun.Glob('{src,test,build}/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter((path) => !/^build\/out\//.test(path))
  .toSorted()

describe('the vocabulary', () => {
  // Slow: every file of the project is read.
  test('has no retired word in file names, names and comments', async () => {
    const texts = await Promise.all(
      PATHS.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
    )
    expect(texts.length).toBeGreaterThan(500)
    const found = retiredWords(new Map(texts))
    expect([...found.values()].flat()).toEqual([])
  })

  test.each([
    ['src/core/a.ts', 'const saidDesk = 1', ['said', 'desk']],
    ['src/core/a.ts', 'type FAULT_DESK = 1', ['desk']],
    ['src/core/a.ts', '// Every client is told at once.', ['told']],
    ['src/core/a.ts', '/** Hears of\n * each recipe. */', ['hears', 'recipe']],
    ['src/core/glance-at.ts', '', ['glance']],
    ['src/core/a.ts', 'const a = `x`; seat(b)', ['seat']],
  ])('%s with %s holds retired words', (path, text, words) => {
    const [[room, places] = ['', []]] = retiredWords(new Map([[path, text]]))
    expect(room).toBe('src/core')
    expect(places.map((place) => /"(\w+)"/.exec(place)?.[1]).toSorted()).toEqual(words.toSorted())
  })

  test.each([
    "const text = 'ask the desk'",
    'const text = `the desk`',
    '// The header says that the body is JSON.',
    'const deskew = stellar + retold',
  ])('%s holds none', (text) => {
    expect([...retiredWords(new Map([['src/core/a.ts', text]]))]).toEqual([])
  })

  test('a file counts for the folder of its subject', () => {
    const text = 'const desk = 1'
    const paths = ['src/simulator/rest/public/a.ts', 'src/main.ts', 'test/simulator/rest/a.test.ts']
    const found = retiredWords(new Map(paths.map((path) => [path, text])))
    expect([...found.keys()]).toEqual(['src/simulator/rest', 'src', 'test/simulator'])
  })
})
