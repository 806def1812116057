import type { Ended } from '../core/ports.ts'
import { BACKUP_LIMITS } from '../spec/operator/backup.ts'

/** Where the runtime keeps the program inside an executable. */
const EMBEDDED = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN)/

/**
 * Runs a command of this program in a process of its own, with the flags and the environment that this one was started
 * with, until it ends or the signal ends it. `argv` is this process's own.
 */
export async function runOwnCommand(
  argv: readonly string[],
  words: readonly string[],
  signal: AbortSignal,
): Promise<Ended> {
  const [, script = '', ...flags] = argv
  const program = EMBEDDED.test(script) ? [process.execPath] : [process.execPath, script]
  const started = Bun.spawn([...program, ...withoutMode(flags), '--mode', 'admin', ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    signal,
  })
  const [stdout, exitCode] = await Promise.all([started.stdout.text(), started.exited])
  return { exitCode, stdout: stdout.slice(0, BACKUP_LIMITS.reportMaxBytes) }
}

function withoutMode(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (flag, at) => !/^--mode(?:=|$)/.test(flag) && !(at > 0 && flags[at - 1] === '--mode'),
  )
}
