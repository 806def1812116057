import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  defaultOnFailure,
  faultCount,
  reportFaultsTo,
  reportUnexpected,
} from '../../../src/core/loop/guarded.ts'

const reported: unknown[] = []
let giveBack: () => void

beforeEach(() => {
  reported.length = 0
  giveBack = reportFaultsTo((part, error) => void reported.push([part, error]))
})
afterEach(() => giveBack())

const coded = (code: string) => Object.assign(new Error('of the system'), { code })

test.each([
  ['of a class', new RangeError('far'), [RangeError]],
  ['of a class beneath it', new RangeError('far'), [SyntaxError, Error]],
  ['with a code', coded('ENOENT'), ['ENOENT']],
  ['of the system', coded('EACCES'), ['system']],
] as const)('an expected error %s is passed over', (_, error, kinds) => {
  reportUnexpected('process', error, ...kinds)
  expect(defaultOnFailure('process', 7, ...kinds)(error)).toBe(7)
  expect(reported).toEqual([])
})

test.each([
  ['of another class', new TypeError('ours'), [RangeError, SyntaxError]],
  ['with another code', coded('EACCES'), ['ENOENT']],
  ['without a code', new Error('ours'), ['system']],
  ['that is no error', 'text', [Error, 'system']],
] as const)(
  'one %s is reported and counted, and the value is answered all the same',
  (_, error, kinds) => {
    const before = faultCount('process')
    expect(defaultOnFailure('process', 7, ...kinds)(error)).toBe(7)
    expect(reported).toEqual([['process', error]])
    expect(faultCount('process')).toBe(before + 1)
  },
)

test('where no descriptor is free, memory that cannot be read is an expected error of the system', () => {
  const program = `
    import { openSync } from 'node:fs'
    import { reportUnexpected, reportFaultsTo } from './src/core/loop/guarded.ts'
    reportFaultsTo(() => process.exit(1))
    try { for (;;) openSync('/dev/null', 'r') } catch {}
    try { process.memoryUsage.rss() } catch (error) {
      reportUnexpected('http', error, 'system')
      process.exit(0)
    }
    process.exit(2)`
  const { exitCode } = Bun.spawnSync(
    ['sh', '-c', 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, program],
    { cwd: new URL('../../..', import.meta.url).pathname },
  )
  expect(exitCode).toBe(0)
})
