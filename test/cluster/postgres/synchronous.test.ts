import { expect, test } from 'bun:test'
import { awaitsEveryStandby } from '../../../src/cluster/postgres/server.ts'

test.each([
  ['a', true],
  ['"a b"', true],
  ['FIRST 2 (a, b)', true],
  ['ANY 2 (a, b)', true],
  ['2 (a, b)', true],
  ['', false],
  ['*', false],
  ['"*"', false],
  ['2 (a, *)', false],
  ['a, b', false],
  ['FIRST 1 (a, b)', false],
  ['ANY 1 (a, b)', false],
] as const)(
  'synchronous_standby_names = %s waits for every named standby: %p',
  (names, isWaiting) => {
    expect(awaitsEveryStandby(names, 0)).toBe(isWaiting)
  },
)

test.each([
  ['walreceiver', 1, true],
  ['walreceiver', 2, false],
  ['FIRST 2 (a, b)', 2, true],
  ['FIRST 2 (a, b)', 3, false],
] as const)(
  'synchronous_standby_names = %s waits for all of %i standbys: %p',
  (names, standbys, isWaiting) => {
    expect(awaitsEveryStandby(names, standbys)).toBe(isWaiting)
  },
)
