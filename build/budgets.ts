import { join } from 'node:path'
import { BUNDLE, ROOT } from './bundle.ts'

/** How much script of a page a browser may have to fetch, gzipped. */
export type Budget = {
  readonly page: 'trade' | 'console'
  /** Before anything can be seen, or only once somebody asks for it. */
  readonly load: 'first' | 'later'
  readonly maxBytes: number
}

/** The pages' budgets: what is past one is not built. */
export const BUDGETS: readonly Budget[] = [
  { page: 'trade', load: 'first', maxBytes: 85_000 },
  { page: 'trade', load: 'later', maxBytes: 45_000 },
  { page: 'console', load: 'first', maxBytes: 45_000 },
  { page: 'console', load: 'later', maxBytes: 0 },
]

/** What the script of a page weighs, gzipped, by when it is loaded. */
export async function pageWeight(page: Budget['page']): Promise<Record<Budget['load'], number>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, `src/page/${page}/index.html`)],
    target: 'browser',
    splitting: true,
    minify: BUNDLE.minify,
    define: BUNDLE.define,
  })
  const scripts = await Promise.all(
    outputs
      .filter(({ path }) => path.endsWith('.js'))
      .map(async (file) => ({ name: nameOf(file.path), text: await file.text() })),
  )
  const document = await outputs.find(({ path }) => path.endsWith('.html'))?.text()
  const first = scripts.filter(({ name }) => document?.includes(name))
  const known = new Set(first)
  // A set that grows while it is walked is walked to its end.
  for (const { text } of known) {
    for (const script of scripts) if (isImported(script.name, text)) known.add(script)
  }
  const weigh = (all: readonly { readonly text: string }[]) =>
    all.reduce((sum, { text }) => sum + Bun.gzipSync(text, { level: 9 }).byteLength, 0)
  return { first: weigh([...known]), later: weigh(scripts.filter((script) => !known.has(script))) }
}

/** Throws for a page whose script is over a budget, naming the page and by how much. */
export async function assertBudgets(): Promise<void> {
  for (const { page, load, maxBytes } of BUDGETS) {
    const { [load]: bytes } = await pageWeight(page)
    if (bytes > maxBytes) {
      throw new Error(`the ${load} load of the ${page} page is ${bytes} bytes of ${maxBytes}`)
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a script imports another before it runs, rather than when it comes to it. */
function isImported(name: string, text: string): boolean {
  return new RegExp(
    `from ?"[^"]*${RegExp.escape(name)}"|import ?"[^"]*${RegExp.escape(name)}"`,
  ).test(text)
}
