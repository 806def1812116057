import { describe, expect, test } from 'bun:test'
import { type Call, judge, type Observed } from './judge.ts'
import { planOf, STORM_FAULTS } from './plan.ts'

const WRITE: Call = {
  kind: 'new write',
  instance: 1,
  identity: 'signature',
  fromMs: 10_000,
  tookMs: 30,
  outcome: 'ok',
  isKept: true,
}

const GOOD: Observed = {
  calls: [
    WRITE,
    { ...WRITE, kind: 'repeated write', outcome: 'outcome_unknown', tookMs: 15_900 },
    { ...WRITE, kind: 'public read', outcome: 'upstream_timeout', tookMs: 10_900 },
  ],
  taken: new Map([['signature', [{ atMs: 10_010, answered: 'in time' }]]]),
  shortages: [],
  controls: [],
  exits: [],
  unexpected: [],
  unrecovered: [],
  memoryMb: [Array.from({ length: 600 }, (_, at) => 90 + (at % 7))],
}

/** The names of what a judgement found. */
function found(change: Partial<Observed>): readonly string[] {
  return judge({ ...GOOD, ...change })
    .filter(({ cases }) => cases.length > 0)
    .map(({ name }) => name)
}

function withCall(change: Partial<Call>, rest: Partial<Observed> = {}): readonly string[] {
  return found({ calls: [...GOOD.calls, { ...WRITE, ...change }], ...rest })
}

const LATE = ['answers later than their deadline plus 1 s']
const LOST = ['calls without an answer']
const STRANGE = ['answers that are no answer of the closed list, or internal']

describe('the judge of a storm', () => {
  test('finds nothing where every answer was explained and in time', () => {
    expect(found({})).toEqual([])
  })

  test('finds a write that arrived twice, and shows every call of it', () => {
    const [arrived] = GOOD.taken.get('signature') ?? []
    const twice = new Map([['signature', arrived ? [arrived, arrived] : []]])
    const [doubled] = judge({ ...GOOD, taken: twice })
    expect(doubled?.cases).toHaveLength(1)
    expect(doubled?.cases[0]).toContain('repeated write at instance 1')
  })

  test('finds a write that was answered as done and never arrived', () => {
    expect(withCall({ identity: 'other' })).toEqual([
      'writes answered as done that never reached the venue',
    ])
    expect(withCall({ identity: 'other', outcome: 'store_unavailable' })).toEqual([])
  })

  test('finds an exit, an unexpected error, and an instance that did not recover', () => {
    expect(found({ exits: ['x'] })).toEqual(['instances that ended by themselves'])
    expect(found({ unexpected: ['x'] })).toEqual(['errors that no code expected'])
    expect(found({ unrecovered: ['x'] })).toEqual(['instances that did not recover'])
  })

  test.each(['internal', '500 without JSON', 'no_such_code'])('finds the answer %p', (outcome) => {
    expect(withCall({ outcome })).toEqual(STRANGE)
  })

  test('finds an answer that is late, unless the machine was as late at the same time', () => {
    expect(withCall({ tookMs: 16_001 })).toEqual(LATE)
    expect(withCall({ kind: 'public read', tookMs: 11_001 })).toEqual(LATE)
    const busy = (atMs: number) => ({ controls: [{ atMs, lateMs: 500 }] })
    expect(withCall({ tookMs: 16_400 }, busy(20_000))).toEqual([])
    expect(withCall({ tookMs: 16_600 }, busy(20_000))).toEqual(LATE)
    expect(withCall({ tookMs: 16_400 }, busy(9000))).toEqual(LATE)
  })

  test('lets a new connection alone wait for a descriptor', () => {
    const short = { shortages: [{ instance: 1, fromMs: 9000, untilMs: 14_000 }] }
    expect(withCall({ tookMs: 20_000, isKept: false }, short)).toEqual([])
    expect(withCall({ tookMs: 23_000, isKept: false }, short)).toEqual(LATE)
    expect(withCall({ tookMs: 20_000, isKept: true }, short)).toEqual(LATE)
    expect(withCall({ tookMs: 20_000, isKept: false, instance: 0 }, short)).toEqual(LATE)
    expect(withCall({ outcome: 'cut', isKept: false }, short)).toEqual([])
    expect(withCall({ outcome: 'cut', isKept: true }, short)).toEqual(LOST)
    expect(withCall({ outcome: 'unanswered', isKept: false })).toEqual(LOST)
  })

  test('finds memory that grows by more than a tenth in a run that is long enough', () => {
    const growing = (length: number) => [Array.from({ length }, (_, at) => 90 + (at * 60) / length)]
    expect(found({ memoryMb: growing(600) })).toEqual(['instances whose memory grew by a tenth'])
    expect(found({ memoryMb: growing(60) })).toEqual([])
  })
})

describe('the plan of a storm', () => {
  const SECONDS = 600
  const INSTANCES = 3
  const plan = planOf(7, 1000 * SECONDS, INSTANCES)

  test('is the same for the same seed, and another for another', () => {
    expect(planOf(7, 1000 * SECONDS, INSTANCES)).toEqual([...plan])
    expect(planOf(8, 1000 * SECONDS, INSTANCES)).not.toEqual([...plan])
  })

  test('has every kind of fault, and overlaps them', () => {
    expect(new Set(plan.map(({ fault }) => fault)).size).toBe(Object.keys(STORM_FAULTS).length)
    const atOnce = plan.map(
      ({ fromMs }) => plan.filter((one) => one.fromMs <= fromMs && one.untilMs > fromMs).length,
    )
    expect(Math.max(...atOnce)).toBeGreaterThan(4)
  })

  test('never strikes one place with two faults at once, and ends in time', () => {
    const places = Map.groupBy(
      plan,
      ({ fault, instance }) => `${STORM_FAULTS[fault].target} ${instance}`,
    )
    for (const faults of places.values()) {
      for (const [at, { fromMs }] of faults.entries()) {
        expect(fromMs).toBeGreaterThanOrEqual(faults[at - 1]?.untilMs ?? 0)
      }
    }
    expect(Math.max(...plan.map(({ untilMs }) => untilMs))).toBeLessThan(1000 * SECONDS)
  })
})
