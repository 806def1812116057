import { chmodSync, copyFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file of a package: what it holds, as text or as a copy of another file, and its mode. */
export type StagedFile = {
  readonly path: string
  readonly from: { readonly text: string | Uint8Array } | { readonly file: string }
  readonly mode: 0o644 | 0o755
}

/** Lays files out in an empty folder, with modes and times that no builder's machine has a say in. */
export function stage(folder: string, files: readonly StagedFile[], atSeconds: number): void {
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder)
  for (const { path, from, mode } of files) {
    const target = join(folder, path)
    for (const parent of parentsOf(path)) makeFolder(join(folder, parent))
    if ('text' in from) writeFileSync(target, from.text)
    else copyFileSync(from.file, target)
    chmodSync(target, mode)
    utimesSync(target, atSeconds, atSeconds)
  }
}

function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
}

/** `a` and `a/b` of `a/b/c`. */
function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}

/** Runs a program to its end. Throws with what it said when that was not well. */
export function run(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): string {
  const [program = ''] = argv
  if (Bun.which(program) === null)
    throw new Error(`${program} is missing: apt-get install ${program}`)
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C', ...options.env }
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], { cwd: options.cwd, env })
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${argv.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`)
}
