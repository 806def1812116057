import type { CommandDeps } from './command.ts'

/** Where a command's words go. */
export type Output = Pick<CommandDeps, 'print' | 'report'> & {
  /** Writes what is to come last; answers the exit code. */
  readonly end: (exitCode: number) => number
}

/**
 * Lines as they come; as JSON one text at the end: the reported value, or the lines of a command that only prints. A command
 * that fails says why in `lines`, and its `exitCode` goes with them.
 */
export function createOutput(json: boolean, print: (line: string) => void): Output {
  if (!json) {
    const report: Output['report'] = (_value, lines) => {
      for (const line of lines) print(line)
    }
    return { print, report, end: (exitCode) => exitCode }
  }
  const lines: string[] = []
  let reported: object | null = null
  return {
    print: (line) => void lines.push(line),
    report: (value) => {
      reported = value
    },
    end: (exitCode) => {
      print(JSON.stringify(reported ?? { exitCode, lines }))
      return exitCode
    },
  }
}
