import { writeSync } from 'node:fs'
import { guarded, reportUnexpected } from '../core/loop/guarded.ts'

const STDOUT = 1

let stdout: typeof process.stdout | null = null

/** Prints a line on the standard output. */
export function print(line: string): void {
  printText(`${line}\n`)
}

/** Prints a line on the standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Prints a text unchanged. The first call opens the stream, which takes milliseconds. */
export function printText(text: string): void {
  // Ends the process quietly if the reader has closed the pipe.
  stdout ??= process.stdout.on(
    'error',
    guarded('process', () => process.exit(0)),
  )
  stdout.write(text)
}

/**
 * Prints text in one synchronous write without opening a stream. Only a server uses this, because it prints nothing
 * else.
 */
export function printNow(text: string): void {
  try {
    writeSync(STDOUT, text)
  } catch (error) {
    reportUnexpected('process', error, 'system')
    process.exit(0)
  }
}
