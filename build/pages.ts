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
  const lists: PartList[] = []
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const metafiles: Bun.BuildMetafile[] = []
  const there = PAGE_NAMES.filter((page) => existsSync(documentOf(root, page)))
  for (const page of there) {
    const { outputs, metafile } = await bundlePage(root, page)
    if (metafile) metafiles.push(metafile)
    for (const output of outputs) {
      contents.set(`${page}/${nameOf(output)}`, new Uint8Array(await output.arrayBuffer()))
    }
    lists.push(partList(page, outputs, metafile))
  }
  return { plugin: pluginOf(lists, contents), metafiles }
}

function nameOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The parts of one page: the statements that import their files, and the member of the list of all pages. */
type PartList = { readonly imports: readonly string[]; readonly member: string }

function partList(
  page: PageName,
  outputs: readonly Bun.BuildArtifact[],
  metafile: Bun.BuildMetafile | undefined,
): PartList {
  const early = earlyNames(metafile)
  const isEarly = (part: Bun.BuildArtifact) => early.has(nameOf(part))
  const imports = outputs.map(
    (part, at) => `import ${page}${at} from '${SCHEME}${page}/${nameOf(part)}'`,
  )
  const rows = outputs.map(
    (part, at) =>
      `{ name: '${nameOf(part)}', path: ${page}${at}, contentType: '${part.type}', isEarly: ${isEarly(part)} }`,
  )
  return { imports, member: `${page}: [${rows.join(', ')}]` }
}

/** The module that stands for src/http/pages/parts.ts. */
function partsModule(lists: readonly PartList[]): string {
  const members = lists.map(({ member }) => member)
  return [
    ...lists.flatMap(({ imports }) => imports),
    `export const PAGE_PARTS = { ${members.join(', ')} }`,
  ].join('\n')
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
  lists: readonly PartList[],
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Bun.BunPlugin {
  const namespace = 'page-part'
  return {
    name: 'pages',
    setup: (build) => {
      build.onLoad({ filter: /\/src\/http\/pages\/parts\.ts$/ }, () => ({
        contents: partsModule(lists),
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
