import { join } from 'node:path'
import { ROOT } from './bundle.ts'

/**
 * The version of what is built: that of the commit's tag `v1.2.3`, else that of package.json with the time of the
 * commit in UTC, `1.2.3+20260102030405`, which later commits exceed. An archive without history has package.json's.
 */
export async function buildVersion(folder: string = ROOT): Promise<string> {
  const tag = git(folder, ['describe', '--tags', '--exact-match', '--match', 'v[0-9]*'])
  if (tag !== null) return tag.slice(1)
  const { version } = await Bun.file(join(folder, 'package.json')).json()
  const seconds = commitSeconds(folder)
  if (seconds === 0) return version
  const time = new Date(seconds * 1000).toISOString().slice(0, 19)
  return `${version}+${time.replaceAll(/\D/g, '')}`
}

/** When the commit was made that is built, in seconds; 0 in an archive without history. */
export function commitSeconds(folder: string = ROOT): number {
  return Number(git(folder, ['log', '-1', '--format=%ct']) ?? 0)
}

/** The commit that is built, marked when the tree differs from it; an archive without history has none. */
export function commit(folder: string = ROOT): string {
  return git(folder, ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']) ?? 'unknown'
}

/** The whole hash of the commit that is built; an archive without history has none. */
export function commitHash(folder: string = ROOT): string {
  return git(folder, ['rev-parse', 'HEAD']) ?? 'unknown'
}

function git(folder: string, args: readonly string[]): string | null {
  const program = Bun.which('git')
  if (program === null) return null
  const { exitCode, stdout } = Bun.spawnSync([program, ...args], { cwd: folder, stderr: 'ignore' })
  return exitCode === 0 ? stdout.toString().trim() : null
}
