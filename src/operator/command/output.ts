import { ClientFailure } from '../../agents/client/client.ts'
import { printable, UsageError } from '../../core/settings/usage-error.ts'
import {
  type Command,
  type CommandArguments,
  type CommandEnvironment,
  NoPlaceError,
} from './command.ts'

/**
 * Runs a command and prints its output. Returns the exit code: its own; 64 after the lines of a UsageError; 1 after the
 * sentence of a NoPlaceError, or the code and sentence of a ClientFailure. Rethrows other errors.
 */
export async function runCommand(
  { run }: Command,
  args: CommandArguments,
  {
    json,
    print,
    complain,
    ...outside
  }: Omit<CommandEnvironment, 'report'> & { readonly json: boolean },
): Promise<number> {
  const output = createOutput(json, print, complain)
  try {
    return output.end(await run({ ...output, ...outside }, args))
  } catch (error) {
    const { exitCode, lines } = failureReport(error)
    for (const line of lines) output.complain(line)
    return output.end(exitCode)
  }
}

function failureReport(error: unknown): {
  readonly exitCode: 1 | 64
  readonly lines: readonly string[]
} {
  if (error instanceof UsageError) return { exitCode: 64, lines: error.lines }
  if (error instanceof NoPlaceError) return { exitCode: 1, lines: [printable(error.message)] }
  if (!(error instanceof ClientFailure)) throw error
  return { exitCode: 1, lines: [`${error.code}: ${error.message}`] }
}

/** The output of a command. */
type Output = Pick<CommandEnvironment, 'print' | 'complain' | 'report'> & {
  /** Writes the final output. Returns the exit code. */
  readonly end: (exitCode: number) => number
}

/**
 * Prints lines as they come, or with JSON one text at the end: the reported value, or the lines of a command that only
 * prints. A failed command's JSON has its reasons in `lines`, and its `exitCode`.
 */
function createOutput(
  json: boolean,
  print: CommandEnvironment['print'],
  complain: CommandEnvironment['complain'],
): Output {
  if (!json) {
    const report: Output['report'] = (_value, lines) => {
      for (const line of lines) print(line)
    }
    return { print, complain, report, end: (exitCode) => exitCode }
  }
  const lines: string[] = []
  let reported: object | null = null
  const keep = (line: string) => void lines.push(line)
  return {
    print: keep,
    complain: keep,
    report: (value) => {
      reported = value
    },
    end: (exitCode) => {
      print(JSON.stringify(reported ?? { exitCode, lines }))
      return exitCode
    },
  }
}
