import { ROOT } from './bundle.ts'
import { bundlePage, type PageName } from './pages.ts'

/** How much script of a page a browser may have to fetch, gzipped. */
export type Budget = {
  readonly page: PageName
  /**
   * `first`: loaded before anything can be seen. `later`: loaded after the first paint, or when a user asks for it.
   * `beside`: the largest of the pages beside trading. `lists`, `dialogs`: parts of an account that are
   * loaded when they are opened.
   */
  readonly load: 'first' | 'later' | 'beside' | keyof typeof OPENED
  readonly maxBytes: number
}

/** The budgets of the pages. The build fails if a page is over its budget. */
export const BUDGETS: readonly Budget[] = [
  { page: 'trade', load: 'first', maxBytes: 89_900 },
  { page: 'trade', load: 'later', maxBytes: 83_400 },
  { page: 'trade', load: 'beside', maxBytes: 18_500 },
  { page: 'trade', load: 'lists', maxBytes: 6_000 },
  { page: 'trade', load: 'dialogs', maxBytes: 2_600 },
  { page: 'console', load: 'first', maxBytes: 45_000 },
  { page: 'console', load: 'later', maxBytes: 0 },
  { page: 'console', load: 'beside', maxBytes: 0 },
  { page: 'approve', load: 'first', maxBytes: 33_000 },
  { page: 'approve', load: 'later', maxBytes: 0 },
  { page: 'approve', load: 'beside', maxBytes: 0 },
]

/** The parts that are loaded after the first paint, or when a user asks for them. */
const LATER =
  /(?:trade\/deferred|wallet-bundle|throw-away|chart\/overlays|chart\/depth-chart|pages\/slot|connect\/dialog)\.tsx?$/

/** The pages beside trading. A page is loaded when a user opens it. */
const BESIDE = /views\/[a-z]+\/page\.tsx$/

/** The parts that have a budget of their own: the tools of an account's lists, and dialogs that are seldom opened. */
const OPENED = {
  lists: /account\/list-part\.ts$/,
  dialogs: /(?:account\/forget-dialog|views\/keys-dialog)\.tsx$/,
} as const

/** The gzipped size of a page's script in bytes, by the time of its load; for the pages beside it, the largest. */
export async function pageWeight(page: Budget['page']): Promise<Record<Budget['load'], number>> {
  const built = await bundlePage(ROOT, page)
  const parts = built.metafile?.outputs ?? {}
  const sizes = new Map<string, number>()
  for (const script of built.outputs.filter(({ path }) => path.endsWith('.js'))) {
    const bytes = Bun.gzipSync(await script.text(), { level: 9 }).byteLength
    sizes.set(nameOf(script), bytes)
  }
  const entryOf = (name: string) => parts[`./${name}`]?.entryPoint ?? ''
  const imports = (name: string) =>
    (parts[`./${name}`]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .map(nameOf)
  const names = [...sizes.keys()]
  const first = reached(
    names.filter((name) => isFirst(entryOf(name))),
    imports,
  )
  // A user who opens a page beside trading has already loaded these parts.
  const there = first.union(
    reached(
      names.filter((name) => entryOf(name).endsWith('trade/deferred.ts')),
      imports,
    ),
  )
  const besides = names.filter((name) => BESIDE.test(entryOf(name)))
  const later = reached(
    names.filter((name) => LATER.test(entryOf(name))),
    imports,
  )
  const sum = (chosen: Iterable<string>) =>
    [...chosen].reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
  const opened = (part: keyof typeof OPENED) => {
    const entries = names.filter((name) => OPENED[part].test(entryOf(name)))
    return sum(reached(entries, imports).difference(there))
  }
  return {
    first: sum(first),
    later: sum(later.difference(first)),
    beside: Math.max(0, ...besides.map((name) => sum(reached([name], imports).difference(there)))),
    lists: opened('lists'),
    dialogs: opened('dialogs'),
  }
}

/** The named parts and every part that they import, directly or not. */
function reached(names: readonly string[], imports: (name: string) => readonly string[]) {
  const found = new Set(names)
  // A set that grows while it is walked is walked to its end.
  for (const name of found) for (const next of imports(name)) found.add(next)
  return found
}

/** Whether a part begins with a module that is loaded at once; a part that others share begins with none. */
function isFirst(entryPoint: string): boolean {
  return (
    entryPoint !== '' &&
    ![LATER, BESIDE, ...Object.values(OPENED)].some((deferred) => deferred.test(entryPoint))
  )
}

/** Throws Error with the page and its size if the script of a page is over a budget. */
export async function assertBudgets(): Promise<void> {
  for (const { page, load, maxBytes } of BUDGETS) {
    const { [load]: bytes } = await pageWeight(page)
    if (bytes > maxBytes) {
      throw new Error(`the ${load} load of the ${page} page is ${bytes} bytes of ${maxBytes}`)
    }
  }
}

function nameOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
