import { join } from 'node:path'
import { packedPlugin } from './packed.ts'
import { type BundledPages, bundlePages } from './pages.ts'
import { unservedPlugin } from './unserved.ts'

export const ROOT = join(import.meta.dir, '..')

/** How the program is bundled, whether an executable is made of it or only its parts are listed. */
export const BUNDLE = {
  entrypoints: [join(ROOT, 'src/main.ts'), join(ROOT, 'src/venue-thread.ts')],
  target: 'bun',
  format: 'esm',
  // Each mode imports its own part when it starts, so that one does not pay for another.
  splitting: true,
  // Identifiers stay: the web framework recognises its errors by the names of their classes.
  minify: { syntax: true, whitespace: true, identifiers: false },
  define: {
    'process.env.NODE_ENV': JSON.stringify('production'),
    // A package's folder on the machine that builds would differ from one builder to the next.
    ...{ __dirname: JSON.stringify('/prepd'), __filename: JSON.stringify('/prepd/prepd') },
  },
  metafile: true,
} satisfies Bun.BuildConfig

/**
 * The parts of the program, without writing anything. Paths in it are relative to the working directory. NOTICE is left
 * out: it is written from them, and need not be there yet.
 */
export async function bundleParts(): Promise<Bun.BuildMetafile> {
  const pages = await bundlePages(ROOT)
  const built = await Bun.build({
    ...BUNDLE,
    plugins: [pages.plugin, packedPlugin, unservedPlugin],
    external: ['*/NOTICE'],
  })
  return partsOf(built, pages)
}

/** What a build was made of, its pages included. Throws for a build that was not asked to say it. */
export function partsOf(
  { metafile }: Bun.BuildOutput,
  pages?: Pick<BundledPages, 'metafiles'>,
): Bun.BuildMetafile {
  if (!metafile) throw new Error('the bundler did not say what it bundled')
  const all = [metafile, ...(pages?.metafiles ?? [])]
  return {
    inputs: Object.assign({}, ...all.map(({ inputs }) => inputs)),
    // Two builds may give a part the same name.
    outputs: Object.fromEntries(
      all.flatMap(({ outputs }, at) =>
        Object.entries(outputs).map(([name, output]) => [`${at} ${name}`, output]),
      ),
    ),
  }
}
