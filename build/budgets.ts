import { ROOT } from './bundle.ts'
import { bundlePage, type PageName } from './pages.ts'

/** How much script of a page a browser may have to fetch, gzipped. */
export type Budget = {
  readonly page: PageName
  /** Before anything can be seen, or only once somebody asks for it. */
  readonly load: 'first' | 'later'
  readonly maxBytes: number
}

/** The pages' budgets: what is past one is not built. */
export const BUDGETS: readonly Budget[] = [
  { page: 'trade', load: 'first', maxBytes: 89_900 },
  { page: 'trade', load: 'later', maxBytes: 64_000 },
  { page: 'console', load: 'first', maxBytes: 45_000 },
  { page: 'console', load: 'later', maxBytes: 0 },
]

/** What is loaded only after the first paint, or only when somebody asks for it. */
const LATER =
  /(?:connect\/dialog|throw-away|linked-account|ticket|keys|account\/views|chart\/overlays|failures|feed\/live-wire)\.tsx?$/

/** What the script of a page weighs, gzipped, by when it is loaded. */
export async function pageWeight(page: Budget['page']): Promise<Record<Budget['load'], number>> {
  const built = await bundlePage(ROOT, page)
  const parts = built.metafile?.outputs ?? {}
  const scripts = built.outputs.filter(({ path }) => path.endsWith('.js'))
  const first = new Set(
    scripts.map(nameOf).filter((name) => isFirst(parts[`./${name}`]?.entryPoint)),
  )
  // A set that grows while it is walked is walked to its end.
  for (const name of first) {
    for (const { path, kind } of parts[`./${name}`]?.imports ?? []) {
      if (kind === 'import-statement') first.add(nameOf({ path }))
    }
  }
  const weight = { first: 0, later: 0 }
  for (const script of scripts) {
    const bytes = Bun.gzipSync(await script.text(), { level: 9 }).byteLength
    weight[first.has(nameOf(script)) ? 'first' : 'later'] += bytes
  }
  return weight
}

/** Whether a part begins with a module that is loaded at once; a part that others share begins with none. */
function isFirst(entryPoint: string | undefined): boolean {
  return entryPoint !== undefined && !LATER.test(entryPoint)
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

function nameOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
