import { expect, test } from 'bun:test'
import { ADVANCE_LIMITS } from '../../../src/contract/venue/advance.ts'
import { Failure } from '../../../src/core/failure.ts'
import { parseAdvance } from '../../../src/gateway/account/advance.ts'

const inHalves = (ms: number) => JSON.stringify({ steps: [{ ms: ms - 1 }, { ms: 1 }] })

test('steps take as long together as one may, and not a millisecond longer', () => {
  expect(parseAdvance(inHalves(ADVANCE_LIMITS.msMax)).steps).toHaveLength(2)
  expect(() => parseAdvance(inHalves(ADVANCE_LIMITS.msMax + 1))).toThrow(Failure)
})
