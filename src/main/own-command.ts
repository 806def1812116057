import { BACKUP_LIMITS } from '../contract/operator/backup.ts'
import { guarded } from '../core/loop/guarded.ts'
import type { ProcessResult } from '../core/ports.ts'

/** The path that the runtime gives to a program inside an executable. */
const EMBEDDED = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN)/

/**
 * Runs a command of this program in a separate process, with this process's flags and environment, and `input` as its
 * standard input. `signal` ends the command. `argv`: this process's command line.
 */
export async function runOwnCommand(
  argv: readonly string[],
  words: readonly string[],
  signal: AbortSignal,
  input?: string,
): Promise<ProcessResult> {
  const [, script = '', ...flags] = argv
  const program = EMBEDDED.test(script) ? [process.execPath] : [process.execPath, script]
  const started = Bun.spawn([...program, ...withoutMode(flags), '--mode', 'admin', ...words], {
    stdin: input === undefined ? 'ignore' : Buffer.from(input),
    stdout: 'pipe',
    stderr: 'ignore',
    signal,
    // A channel without messages. When this process ends, the channel closes, which ends the command (see
    // `endWithParent`).
    ipc: () => undefined,
  })
  const [stdout, exitCode] = await Promise.all([started.stdout.text(), started.exited])
  return { exitCode, stdout: stdout.slice(0, BACKUP_LIMITS.reportMaxBytes) }
}

function withoutMode(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (flag, at) => !/^--mode(?:=|$)/.test(flag) && !(at > 0 && flags[at - 1] === '--mode'),
  )
}

/** Ends this process when its parent ends, if `runOwnCommand` started it. */
export function endWithParent(): void {
  if (!process.connected) return
  process.once(
    'disconnect',
    guarded('process', () => process.kill(process.pid, 'SIGTERM')),
  )
  process.channel?.unref()
}
