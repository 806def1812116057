import { ClientFailure } from '../../agents/client/client.ts'
import { printable, UsageError } from '../../core/settings/usage-error.ts'
import {
  type Command,
  type CommandArguments,
  type CommandEnvironment,
  NoPlaceError,
} from './command.ts'

/**
 * Runs a command and prints its output. Returns the command's own exit code. For a UsageError, prints its lines and
 * returns 64. For a NoPlaceError, prints its sentence and returns 1. For a ClientFailure, prints its code and sentence
 * and returns 1. Rethrows other errors.
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

/** Where a command prints. */
type Output = Pick<CommandEnvironment, 'print' | 'complain' | 'report'> & {
  /** Prints the output that waits for the end. Returns the exit code. */
  readonly end: (exitCode: number) => number
}

/**
 * Prints lines as they come. With JSON it prints one text at the end: the reported value, or the printed lines if the
 * command reports no value. The JSON of a failed command has the reasons in `lines`, and `exitCode`.
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
