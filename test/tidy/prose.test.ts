import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { messages, unclearSentences } from './prose.ts'

const ROOT = join(import.meta.dir, '../..')

/** Unclear sentences in comments per room. A figure here may only fall. */
const CEILINGS: Readonly<Record<string, number>> = {}

/** Markdown that people read. The tables behind generated pages are counted as messages. */
const DOCUMENTS = ['*.md', 'src/*.md', 'config/**/*.md', 'build/*.md', 'build/docs/*.md']

describe('documents', () => {
  test('hold no unclear sentence', async () => {
    const paths = DOCUMENTS.flatMap((glob) => [...new Bun.Glob(glob).scanSync(ROOT)])
    expect(paths.length).toBeGreaterThan(20)
    const texts = await Promise.all(
      paths.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
    )
    expect(
      unclearSentences(new Map(texts)).map(
        (row) => `${row.path}:${row.line} ${row.pattern}: ${row.sentence}`,
      ),
    ).toEqual([])
  })

  test.each([
    ['# What it does', ['opening']],
    ['Text before.\n- Whoever reads\n  reads twice.', ['opening']],
    ['| Name | Meaning |\n| --- | --- |\n| `a` | Nobody reads it. |', ['pronoun']],
    ['| What | Where |', ['opening']],
    [`**Bold.** ${'word '.repeat(31)}.`, ['long']],
    ['See [a page](https://a.example/none) that nobody\nreads.', ['pronoun']],
  ])('%s is unclear', (text, patterns) => {
    const found = unclearSentences(new Map([['a.md', text]]))
    expect(found.map(({ pattern }) => pattern)).toEqual(patterns)
  })

  test.each([
    'Text:\n\n    nobody reads code, and none of it is prose\n\nMore text.',
    '```sh\nnobody reads code\n```',
    '| Name | Default |\n| --- | --- |\n| `a` | none |',
    '[text](https://a.example/nobody)',
  ])('%s is plain', (text) => {
    expect(unclearSentences(new Map([['a.md', text]]))).toEqual([])
  })
})

/** Unclear messages that stay: their files, how they begin, and why. */
const LEFT = [
  [
    'src/agents/tools/markets.ts',
    'One market: prices',
    'a list of fields, within the size of the tool list',
  ],
  [
    'src/agents/tools/report.ts',
    'The account in one call',
    'a list of fields, within the size of the tool list',
  ],
  ['src/agents/unknown-argument.ts', 'Nothing was sent. x has', 'two sentences'],
  ['src/contract/operations.ts', 'BROKER, SYMBOL or NONE', 'a value of the venue'],
  [
    'src/simulator/programs/affiliates/program.ts',
    'Somebody has joined',
    'the text of the live venue',
  ],
] as const

describe('messages', () => {
  // Slow: every file of src is read.
  test('hold no unclear sentence but those that are listed', async () => {
    const paths = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
    const texts = await Promise.all(
      paths.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
    )
    const found = unclearSentences(new Map(texts), () => messages)
    const isLeft = ({ path, sentence }: (typeof found)[number]) =>
      LEFT.some(([file, beginning]) => path === file && sentence.startsWith(beginning))
    expect(
      found
        .filter((row) => !isLeft(row))
        .map((row) => `${row.path}:${row.line} ${row.pattern}: ${row.sentence}`),
    ).toEqual([])
    for (const [file, beginning] of LEFT)
      expect([
        file,
        found.some((row) => row.path === file && row.sentence.startsWith(beginning)),
      ]).toEqual([file, true])
  })

  test.each([
    ["const a = 'Nobody reads this text.'", ['pronoun']],
    ['const a = `What it said is lost.`', ['opening']],
    ["fail('It\\'s not sent, and never will.')", ['negations']],
  ])('%s is unclear', (text, patterns) => {
    const found = unclearSentences(new Map([['src/core/a.ts', text]]), () => messages)
    expect(found.map(({ pattern }) => pattern)).toEqual(patterns)
  })

  test.each([
    "const none = 'none of it'",
    '// Nobody reads this comment here.',
    "run('SELECT none FROM nobody WHERE a')",
  ])('%s holds no message', (text) => {
    expect(unclearSentences(new Map([['src/core/a.ts', text]]), () => messages)).toEqual([])
  })
})

describe('comments', () => {
  // Slow: every file of src is read. The output lists the counts, so that a ceiling can follow a count down.
  test('hold no more unclear sentences per room than before', async () => {
    const paths = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
    expect(paths.length).toBeGreaterThan(500)
    const texts = await Promise.all(
      paths.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
    )
    const found = Map.groupBy(unclearSentences(new Map(texts)), ({ room }) => room)
    const counts = [...found].map(([room, rows]) => [room, rows.length] as const)
    process.stdout.write(`${JSON.stringify(Object.fromEntries(counts.toSorted()))}\n`)
    const above = counts.filter(([room, count]) => count > (CEILINGS[room] ?? 0))
    expect(
      above.flatMap(([room, count]) => [
        `${room}: ${count} unclear sentences, at most ${CEILINGS[room] ?? 0}`,
        ...(found.get(room) ?? []).map(
          (row) => `${row.path}:${row.line} ${row.pattern}: ${row.sentence}`,
        ),
      ]),
    ).toEqual([])
  })

  test.each([
    ['/** What a caller may do. */', ['opening']],
    ['// First line.\n// Whoever cannot cancel cannot leave.', ['opening', 'negations']],
    ['/**\n * One that\n * is new. */', ['opening']],
    ['/** The address; none where it is unknown. */', ['pronoun']],
    ['const a = 1 // Nobody reads it.', ['pronoun']],
    ['const NAME = /[`\'"/]/\n// Nobody reads it.\nconst b = `x`', ['pronoun']],
    ['/** An answer within so long. */', ['amount']],
    ['/** As many calls wait. */', ['amount']],
    [`/** ${'word '.repeat(31)}. */`, ['long']],
    ['/** A write is never sent where it is not known. */', ['negations']],
    ["/** It doesn't retry, and nothing is kept. */", ['negations']],
  ])('%s is unclear', (text, patterns) => {
    const found = unclearSentences(new Map([['src/core/a.ts', text]]))
    expect(found.map(({ pattern }) => pattern)).toEqual(patterns)
  })

  test.each([
    // A word within a sentence, and the same words in texts and names of the program.
    '/** The caller decides what happens. Somewhere. */',
    "const text = 'Nobody knows what is not known, so many say.'",
    'const none = nobody',
    // A value of a setting.
    '/** `none` is the default, and "none" its text. */',
    '/** The lease holds as long as the instance renews it, at most as many times as before. */',
    '/** The list is so long that it has pages. */',
    // Two sentences, each with one negation; and a preposition, and the name of a directive.
    '/** It is not sent. It is not kept. */',
    '/** An answer without a lifetime is not cached: it is no-store. */',
    `/** ${'word '.repeat(30)}. Word. */`,
    `/**\n * ${'word '.repeat(20)}\n *\n * ${'word '.repeat(20)} */`,
    `/**\n * Cases:\n * - ${'word '.repeat(20)}\n * - ${'word '.repeat(20)} */`,
    // A regular expression that a function returns may hold the mark of a comment.
    `const isPath = (text: string) =>\n  /^[\\w/*]+$/.test(text)\n// Plain.\nconst none = '*/'`,
    '// biome-ignore format: none',
  ])('%s is plain', (text) => {
    expect(unclearSentences(new Map([['src/core/a.ts', text]]))).toEqual([])
  })

  test('a finding has the room and the line of its comment', () => {
    const text = 'const a = 1\n\n// What is new.\n'
    const [found] = unclearSentences(new Map([['src/core/json/a.ts', text]]))
    expect(found).toMatchObject({ room: 'src/core', path: 'src/core/json/a.ts', line: 3 })
  })
})
