// Slow: every operation and every call of the relay is asked, of an executable too.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'
import { type TargetKind, USUAL_KINDS } from '../target.ts'
import relayAnswers from '../vectors/upstream/relay-answers.json'
import { differences, emptyLists } from './differences.ts'
import { type MoneyFixture, openMoneyFixture } from './money-fixture.ts'
import { payloadOf } from './payload.ts'
import { OPERATION_ROWS } from './recorded-venue.ts'
import { SCENARIO_START } from './walk/operation-reads.ts'
import * as operations from './walk/operation-table.ts'
import { answerOf } from './walk/relay-reads.ts'
import * as relayed from './walk/relay-table.ts'
import { type AnswerMap, runScenario, type Scenario } from './walk/scenario.ts'
import { wallTimes } from './wall-times.ts'

const CALLS = RELAY_PATHS.flatMap(({ path, methods, words = {} }) => [
  ...methods.map((method) => `${method} ${path}`),
  ...Object.entries(words).flatMap(([word, taken]) =>
    taken.map((method) => `${method} ${path.replace('{id}', word)}`),
  ),
])
const UNLISTED = [...relayed.UNKNOWN, ...Object.keys(relayed.TWINS)]
const READS = CALLS.filter((call) => call.startsWith('GET ') && !UNLISTED.includes(call))
const EXAMPLES: ReadonlyMap<string, unknown> = new Map(Object.entries(relayAnswers))
const IDS = OPERATION_ROWS.map(({ id }) => id)

/** Which answers are other ones in one walk than in another. */
function changed(before: AnswerMap, after: AnswerMap): string[] {
  return IDS.filter((id) => !Bun.deepEquals(before.get(id), after.get(id)))
}

// Both at the same time: each has a process of its own.
const fixtures: MoneyFixture[] = []
const scenarios = new Map<TargetKind, Scenario>()
beforeAll(async () => {
  const settings = {
    VENUE_START: SCENARIO_START,
    VENUE_LISTEN: '127.0.0.1:0',
    VENUE_MARKETS: 'all',
  }
  const run = async (kind: TargetKind) => {
    const fixture = await openMoneyFixture(kind, settings)
    fixtures.push(fixture)
    scenarios.set(kind, await runScenario(fixture))
  }
  await Promise.all(USUAL_KINDS.map(run))
})
afterAll(async () => {
  for (const { stop } of fixtures) await stop()
})

describe.each([...USUAL_KINDS])('after a scenario of days on the embedded venue, %s,', (kind) => {
  let scenario: Scenario
  beforeAll(() => {
    const answers = scenarios.get(kind)
    if (!answers) throw new Error('the scenario has not run')
    scenario = answers
  })

  describe('the catalogue', () => {
    test('has 88 reads, each of which answered four times', () => {
      for (const answers of Object.values(scenario.operations))
        expect([...answers.keys()]).toEqual(IDS)
      expect(Object.keys(operations.CHANGES)).toEqual(IDS)
      expect(IDS).toHaveLength(88)
    })

    test('has the fields and types of the wire, but for what is listed', () => {
      const found = OPERATION_ROWS.flatMap((row) =>
        differences(scenario.operations.after.get(row.id), payloadOf(row)).map(
          (line) => `${row.id} ${line}`,
        ),
      )
      expect(found.sort()).toEqual(Object.keys(operations.LAX).sort())
    })

    test('has rows everywhere, but for what is listed', () => {
      const found = IDS.flatMap((id) => emptyLists(scenario.operations.after.get(id), id))
      expect(found.sort()).toEqual(Object.keys(operations.EMPTY).sort())
    })

    test('has no time of the wall', () => {
      const found = IDS.flatMap((id) => wallTimes(scenario.operations.after.get(id), undefined, id))
      expect(found).toEqual([])
    })

    test('changes exactly the answers that the scenario affects', () => {
      const expected = IDS.filter((id) => operations.CHANGES[id] === true)
      expect(changed(scenario.operations.before, scenario.operations.after)).toEqual(expected)
    })

    test('tells of a single trade wherever it should, and nowhere else', () => {
      const found = changed(scenario.operations.joined, scenario.operations.traded)
      expect(found).toEqual([...operations.TRADE_DEPENDENT])
    })

    test('has the points that the points route tells', async () => {
      const { address } = scenario.user.wallet
      expect(await scenario.fixture.get('/api/prep/points', { address })).toEqual({
        enabled: true,
        merits: scenario.operations.after.get('rewards.userMerits'),
        epochs: scenario.operations.after.get('rewards.epochs'),
      })
    })

    test('tells the same to whoever asks again', async () => {
      const again = await scenario.walk()
      expect(changed(scenario.operations.after, again)).toEqual([])
    })
  })

  describe('the relay', () => {
    const answers = (call: string) => scenario.relayed.after.get(call) ?? scenario.written.get(call)

    test('has answered 60 calls, and knows those that the wire does not have', async () => {
      const { relayed: reads, written, fixture, user } = scenario
      expect([...reads.after.keys()].sort()).toEqual([...READS].sort())
      const all = [...reads.after.keys(), ...written.keys(), ...UNLISTED]
      expect(all.sort()).toEqual([...CALLS].sort())
      expect([...EXAMPLES.keys(), ...UNLISTED].sort()).toEqual([...CALLS].sort())
      for (const call of relayed.UNKNOWN) {
        const path = call.replace('GET ', '').replace('{id}', '7')
        expect(await answerOf(() => fixture.call(user, 'GET', path))).toBe('not_found')
      }
      for (const [call, twin] of Object.entries(relayed.TWINS)) {
        const [one, other] = [call, twin].map((each) =>
          fixture.call(user, 'GET', each.replace('GET ', '')),
        )
        expect(await one).toEqual(await other)
      }
    })

    test('has the fields and types of the wire, but for what is listed', () => {
      const found = [...EXAMPLES].flatMap(([call, answer]) => {
        const example = Object(answer).data === undefined ? {} : payloadOf({ answer })
        return differences(answers(call), example).map((line) => `${call} ${line}`)
      })
      const unlisted = found.filter((line) => !relayed.BY_MARKET.test(line))
      expect(unlisted.sort()).toEqual(Object.keys(relayed.LAX).sort())
    })

    test('has rows wherever it has a list', () => {
      const found = READS.flatMap((call) => emptyLists(answers(call), call))
      expect(found.filter((at) => !relayed.EMPTY.test(at))).toEqual([])
    })

    test('took the profit of its bracket, and was liquidated for what was left', () => {
      const { rows } = Object(answers('GET /v1/algo/orders'))
      const legs = rows.flatMap((row: Record<string, unknown>) => row['child_orders'])
      expect(legs).toContainEqual(
        expect.objectContaining({ algo_type: 'TAKE_PROFIT', is_triggered: 'true' }),
      )
      const history = Object(answers('GET /v1/position_history'))
      const types = history.rows.map((row: Record<string, unknown>) => row['type'])
      expect(types).toContain('liquidated')
    })

    test('changes the relayed answers that the scenario affects', () => {
      const { before, after } = scenario.relayed
      const same = READS.filter((call) => Bun.deepEquals(before.get(call), after.get(call)))
      expect(same).toEqual([...relayed.SAME])
    })

    test('moves nothing by being read', async () => {
      expect([...(await scenario.read())]).toEqual([...scenario.relayed.after])
    })
  })

  test('every book of the venue is sound', async () => {
    expect(await scenario.fixture.check()).toEqual([])
  })
})
