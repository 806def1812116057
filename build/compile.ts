/**
 * Builds the executable of this machine, build/out/prepd, and tries it. With `--target NAME` builds
 * build/out/prepd-NAME for another platform instead, which cannot be tried here.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUNDLE, partsOf, ROOT } from './bundle.ts'
import { bundledNotices } from './notices.ts'
import { TARGETS } from './targets.ts'

const OUT = join(ROOT, 'build/out')

const { target } = parseArgs({ options: { target: { type: 'string' } } }).values
if (target === undefined) await buildAndTry()
else await buildFor(target)

async function buildAndTry(): Promise<void> {
  const outfile = join(OUT, 'prepd')
  await compile({ outfile, bytecode: true })
  for (const args of [['--version'], ['--mode', 'admin', 'config', 'check']]) run(outfile, args)
}

async function buildFor(name: string): Promise<void> {
  const row = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined
  if (!row) throw new Error(`unknown target; there are: ${Object.keys(TARGETS).join(', ')}`)
  await compile({
    outfile: join(OUT, `prepd-${name}`),
    bytecode: row.bytecode,
    target: row.compile,
  })
}

type Executable = {
  readonly outfile: string
  readonly bytecode: boolean
  readonly target?: Bun.Build.CompileTarget
}

async function compile({ outfile, bytecode, target }: Executable): Promise<void> {
  const built = await Bun.build({
    ...BUNDLE,
    bytecode,
    compile: {
      outfile,
      ...(target && { target }),
      // A .env or bunfig.toml in the working directory must not steer an installed program.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    define: { ...BUNDLE.define, ...(await facts()) },
  })
  // Nothing is shipped whose terms cannot be shown.
  bundledNotices(partsOf(built))
  console.log(`built ${outfile}`)
}

/** What src/core/build-facts.ts reports. */
async function facts(): Promise<Record<string, string>> {
  const own = await Bun.file(join(ROOT, 'package.json')).json()
  const elysia = await Bun.file(join(ROOT, 'node_modules/elysia/package.json')).json()
  return {
    PREPD_VERSION: JSON.stringify(own.version),
    PREPD_COMMIT: JSON.stringify(commit()),
    PREPD_ELYSIA: JSON.stringify(elysia.version),
  }
}

/** The commit that is built, marked when the tree differs from it; an archive without history has none. */
function commit(): string {
  const git = Bun.which('git')
  if (git === null) return 'unknown'
  const command = [git, 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd: ROOT, stderr: 'ignore' })
  return exitCode === 0 ? stdout.toString().trim() : 'unknown'
}

/** Settings of the shell that builds have no say in whether the build is good. */
function run(executable: string, args: readonly string[]): void {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('PREPD_')),
  )
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...args], { cwd: OUT, env })
  if (exitCode === 0) return
  process.stderr.write(Buffer.concat([stdout, stderr]))
  throw new Error(`prepd ${args.join(' ')} ended with ${exitCode}`)
}
