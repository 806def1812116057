import { writeSync } from 'node:fs'
import { expected, guarded } from '../core/loop/guarded.ts'

const STDOUT = 1

let stdout: typeof process.stdout | null = null

/** Prints a line on the standard output. */
export function print(line: string): void {
  printText(`${line}\n`)
}

/** Prints a text as it is. The stream is opened by whoever has much to say, since that takes milliseconds. */
export function printText(text: string): void {
  // Whoever reads the output may have read enough.
  stdout ??= process.stdout.on(
    'error',
    guarded('process', () => process.exit(0)),
  )
  stdout.write(text)
}

/** Says a few lines in one piece, without a stream: a server has nothing else to say. */
export function printNow(text: string): void {
  try {
    writeSync(STDOUT, text)
  } catch (error) {
    expected('process', error, 'system')
    process.exit(0)
  }
}
