import { join } from 'node:path'
import { assertBudgets } from './budgets.ts'
import { BUNDLE, partsOf, ROOT } from './bundle.ts'
import { bundledNotices } from './notices.ts'
import { packedPlugin } from './packed.ts'
import { bundlePages } from './pages.ts'
import { unservedPlugin } from './unserved.ts'
import { buildVersion, commit } from './version.ts'

/**
 * How many times later than usual the runtime compiles a function, until src/main.ts resets it: most functions of a start
 * never run again. Without it the first answer takes a quarter more processor time, and tools/list over stdio half more.
 */
const JIT_RELUCTANCE = 64

/** What is compiled, and for whom: this machine unless a target is named. */
export type Executable = {
  readonly outfile: string
  readonly bytecode: boolean
  readonly target?: Bun.Build.CompileTarget
}

/** Builds one executable. Throws when something in it has no licence that can be shown, or a page is over its budget. */
export async function compile({ outfile, bytecode, target }: Executable): Promise<void> {
  console.log('bundling the pages')
  const pages = await bundlePages(ROOT)
  console.log('compiling the program')
  const built = await Bun.build({
    ...BUNDLE,
    bytecode,
    plugins: [pages.plugin, packedPlugin, unservedPlugin],
    compile: {
      outfile,
      jitPolicy: JIT_RELUCTANCE,
      ...(target && { target }),
      // A .env or bunfig.toml in the working directory must not steer an installed program.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    define: { ...BUNDLE.define, ...(await facts()) },
  })
  // Nothing is shipped whose terms cannot be shown.
  bundledNotices(partsOf(built, pages))
  if (pages.metafiles.length > 0) await assertBudgets()
  console.log(`built ${outfile}`)
}

/** What the sources have of the build: each name is declared where it is used. */
async function facts(): Promise<Record<string, string>> {
  const elysia = await Bun.file(join(ROOT, 'node_modules/elysia/package.json')).json()
  return {
    PREPD_VERSION: JSON.stringify(await buildVersion()),
    PREPD_COMMIT: JSON.stringify(commit()),
    PREPD_ELYSIA: JSON.stringify(elysia.version),
  }
}
