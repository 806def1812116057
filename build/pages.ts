import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The pages, and the path under which each serves its parts. */
const PAGES = { trade: '/trade/', console: '/console/', approve: '/approve/' } as const

export type PageName = keyof typeof PAGES

const PAGE_NAMES = ['trade', 'console', 'approve'] as const satisfies readonly PageName[]

function documentOf(root: string, page: PageName): string {
  return join(root, `src/pages/${page}/index.html`)
}

/** One page, bundled for a browser: as small as can be, its parts named by their content. Throws what the bundler throws. */
export function bundlePage(root: string, page: PageName): Promise<Bun.BuildOutput> {
  return Bun.build({
    entrypoints: [documentOf(root, page)],
    target: 'browser',
    splitting: true,
    minify: true,
    publicPath: PAGES[page],
    // Each part names the parts that it imports, so the names are short.
    naming: { chunk: '[hash].[ext]' },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    metafile: true,
  })
}

export type BundledPages = {
  /** Puts the pages' parts into the program, as files: nobody needs bytecode of what a browser runs. */
  readonly plugin: Bun.BunPlugin
  /** What each page was made of. */
  readonly metafiles: readonly Bun.BuildMetafile[]
}

/** Bundles every page that there is. A bundler inside a bundler's plugin never ends, so this comes first. */
export async function bundlePages(root: string): Promise<BundledPages> {
  const modules = new Map<string, string>()
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const metafiles: Bun.BuildMetafile[] = []
  const there = PAGE_NAMES.filter((page) => existsSync(documentOf(root, page)))
  for (const page of there) {
    const { outputs, metafile } = await bundlePage(root, page)
    if (metafile) metafiles.push(metafile)
    for (const output of outputs) {
      contents.set(`${page}/${nameOf(output)}`, new Uint8Array(await output.arrayBuffer()))
    }
    modules.set(page, moduleOf(page, outputs, metafile))
  }
  return { plugin: pluginOf(modules, contents), metafiles }
}

function nameOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The module that stands for src/http/pages/parts/PAGE.ts. */
function moduleOf(
  page: PageName,
  outputs: readonly Bun.BuildArtifact[],
  metafile: Bun.BuildMetafile | undefined,
): string {
  const early = earlyNames(metafile)
  const isEarly = (part: Bun.BuildArtifact) => early.has(nameOf(part))
  const imports = outputs.map(
    (part, at) => `import part${at} from '${SCHEME}${page}/${nameOf(part)}'`,
  )
  const rows = outputs.map(
    (part, at) =>
      `{ name: '${nameOf(part)}', path: part${at}, contentType: '${part.type}', isEarly: ${isEarly(part)} }`,
  )
  return [...imports, `export const ${page.toUpperCase()}_PARTS = [${rows.join(', ')}]`].join('\n')
}

/** A module that is asked for as soon as the first script runs. */
const EARLY = /\/candle-chart\.ts$/

/** The parts of the early modules, with all that they import: a browser fetches them together with the first script. */
function earlyNames(metafile: Bun.BuildMetafile | undefined): ReadonlySet<string> {
  const outputs = Object.entries(metafile?.outputs ?? {})
  const names = new Set(
    outputs.filter(([, { entryPoint }]) => EARLY.test(entryPoint ?? '')).map(([path]) => path),
  )
  // A set that grows while it is walked is walked to its end.
  for (const name of names) {
    for (const { path, kind } of metafile?.outputs[name]?.imports ?? [])
      if (kind === 'import-statement') names.add(`./${nameOf({ path })}`)
  }
  return new Set([...names].map((path) => nameOf({ path })))
}

const SCHEME = 'page-part:'

function pluginOf(
  modules: ReadonlyMap<string, string>,
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Bun.BunPlugin {
  const namespace = 'page-part'
  return {
    name: 'pages',
    setup: (build) => {
      build.onLoad({ filter: /\/src\/http\/pages\/parts\/[a-z]+\.ts$/ }, ({ path }) => ({
        contents: modules.get(nameOf({ path }).replace('.ts', '')) ?? '',
        loader: 'js',
      }))
      build.onResolve({ filter: /^page-part:/ }, ({ path }) => ({
        path: path.slice(SCHEME.length),
        namespace,
      }))
      build.onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: contents.get(path) ?? '',
        loader: 'file',
      }))
    },
  }
}
