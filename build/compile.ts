/**
 * Builds the executable of this machine, build/out/prepd, and tries it. With `--target NAME` builds
 * build/out/prepd-NAME for another platform instead, which cannot be tried here.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './bundle.ts'
import { compile } from './executable.ts'
import { TARGETS } from './targets.ts'

const OUT = join(ROOT, 'build/out')

const { target } = parseArgs({ options: { target: { type: 'string' } } }).values
if (target === undefined) await buildAndTry()
else await buildFor(target)

async function buildAndTry(): Promise<void> {
  const outfile = join(OUT, 'prepd')
  await compile({ outfile, bytecode: true })
  console.log('trying it')
  for (const args of [['--version'], ['--mode', 'admin', 'config', 'check']]) run(outfile, args)
}

async function buildFor(name: string): Promise<void> {
  const row = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined
  if (!row) throw new Error(`unknown target; there are: ${Object.keys(TARGETS).join(', ')}`)
  await compile({ outfile: join(OUT, `prepd-${name}`), bytecode: false, target: row.compile })
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
