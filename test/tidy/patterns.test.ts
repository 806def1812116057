// Slow: every regular expression of the source is analysed.
import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { isSlow, patternsOf } from './patterns.ts'

const ROOT = new URL('../../', import.meta.url).pathname

/** Everything that src makes with `new RegExp` while a deployment opens and answers, and every pattern in a schema. */
const MADE = `
  const made = []
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, [pattern, flags], self) {
      const regexp = Reflect.construct(target, [pattern, flags], self)
      made.push([regexp.source, regexp.flags])
      return regexp
    },
  })
  const { readInvocation, processInputs } = await import('${ROOT}src/settings.ts')
  const { openDeployment } = await import('${ROOT}src/main/deployment.ts')
  const env = { PREPD_SCRUB_NAMES: 'Some Operator,another-name' }
  const { settings } = readInvocation([], env, processInputs().files)
  const quiet = () => undefined
  const deployment = await openDeployment(settings, {
    clock: { nowMs: () => 1_700_000_000_000 },
    monotonicMs: () => 0,
    random: { bytes: (length) => new Uint8Array(length) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  }, ':memory:')
  await deployment.front(new Request('http://localhost/api/prep/markets'), '127.0.0.1')
  await deployment.close()
  const seen = new Set()
  const walk = (value) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (typeof value.pattern === 'string') made.push([value.pattern, 'u'])
    for (const key of Object.keys(value)) walk(value[key])
  }
  for (const path of new Bun.Glob('src/contract/*.ts').scanSync('${ROOT}')) walk({ ...await import('${ROOT}' + path) })
  console.log(JSON.stringify(made))`

async function sources() {
  const paths = [...new Glob('src/**/*.ts').scanSync(ROOT)]
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, await Bun.file(ROOT + path).text()] as const),
    ),
  )
}

describe('matching takes no longer than the text explains', () => {
  test('by any regular expression that is written in src', async () => {
    const patterns = patternsOf(await sources())
    expect(patterns.length).toBeGreaterThan(100)
    const slow = patterns.filter(({ regexp }) => isSlow(regexp))
    expect(slow.map(({ path, regexp }) => `${path} ${regexp}`)).toEqual([])
  })

  test('by any that is made when a deployment opens, or stands in a schema', async () => {
    const child = Bun.spawn([process.execPath, '-e', MADE], { stdout: 'pipe' })
    const made: [string, string][] = JSON.parse(await new Response(child.stdout).text())
    expect(made.length).toBeGreaterThan(40)
    const distinct = new Map(
      made.map(([source, flags]) => [`/${source}/${flags}`, { source, flags }]),
    )
    const slow = [...distinct.values()].filter(({ source, flags }) =>
      isSlow(new RegExp(source, flags)),
    )
    expect(slow).toEqual([])
  })

  test.each([
    ['quadratic where two counts meet', '/^(0*\\.\\d*[1-9]\\d*)$/'],
    ['quadratic from every start', '/ +$/'],
    ['exponential', '/^(?:a+)+$/'],
  ])('and one that is %s is found', (_, literal) => {
    const [planted] = patternsOf(
      new Map([['src/planted.ts', `export const X: RegExp = ${literal}`]]),
    )
    expect(planted && isSlow(planted.regexp)).toBe(true)
  })
})
