import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RELAY_PATHS } from '../../src/spec/allowlist.ts'
import { type TargetKind, USUAL_KINDS } from '../target.ts'
import relayAnswers from '../vectors/upstream/relay-answers.json'
import { differences, emptyLists } from './differences.ts'
import { type MoneyRig, openMoneyRig } from './money-rig.ts'
import { payloadOf } from './payload.ts'
import { OPERATION_ROWS } from './recorded-venue.ts'
import { STORY_START } from './walk/operation-reads.ts'
import * as operations from './walk/operation-table.ts'
import { answerOf } from './walk/relay-reads.ts'
import * as relayed from './walk/relay-table.ts'
import { type Story, type Told, tellStory } from './walk/story.ts'

const CALLS = RELAY_PATHS.flatMap(({ path, methods, words = {} }) => [
  ...methods.map((method) => `${method} ${path}`),
  ...Object.entries(words).flatMap(([word, taken]) =>
    taken.map((method) => `${method} ${path.replace('{id}', word)}`),
  ),
])
const READS = CALLS.filter((call) => call.startsWith('GET ') && !relayed.UNKNOWN.includes(call))
const EXAMPLES: ReadonlyMap<string, unknown> = new Map(Object.entries(relayAnswers))
const IDS = OPERATION_ROWS.map(({ id }) => id)

/** Which answers are other ones in one walk than in another. */
function changed(before: Told, after: Told): string[] {
  return IDS.filter((id) => !Bun.deepEquals(before.get(id), after.get(id)))
}

// Both at the same time: each has a process of its own.
const rigs: MoneyRig[] = []
const stories = new Map<TargetKind, Story>()
beforeAll(async () => {
  const settings = { VENUE_START: STORY_START, VENUE_LISTEN: '127.0.0.1:0' }
  const tell = async (kind: TargetKind) => {
    const rig = await openMoneyRig(kind, settings)
    rigs.push(rig)
    stories.set(kind, await tellStory(rig))
  }
  await Promise.all(USUAL_KINDS.map(tell))
})
afterAll(async () => {
  for (const { stop } of rigs) await stop()
})

describe.each([...USUAL_KINDS])('after a story of days on the embedded venue, %s,', (kind) => {
  let story: Story
  beforeAll(() => {
    const told = stories.get(kind)
    if (!told) throw new Error('the story was not told')
    story = told
  })

  describe('the catalogue', () => {
    test('has 88 reads, each of which answered four times', () => {
      for (const told of Object.values(story.operations)) expect([...told.keys()]).toEqual(IDS)
      expect(Object.keys(operations.CHANGES)).toEqual(IDS)
      expect(IDS).toHaveLength(88)
    })

    test('has the fields and types of the wire, but for what is listed', () => {
      const found = OPERATION_ROWS.flatMap((row) =>
        differences(story.operations.after.get(row.id), payloadOf(row)).map(
          (line) => `${row.id} ${line}`,
        ),
      )
      expect(found.sort()).toEqual(Object.keys(operations.LAX).sort())
    })

    test('has rows everywhere, but for what is listed', () => {
      const found = IDS.flatMap((id) => emptyLists(story.operations.after.get(id), id))
      expect(found.sort()).toEqual(Object.keys(operations.EMPTY).sort())
    })

    test('answers another thing than before wherever the story shows, and nowhere else', () => {
      const expected = IDS.filter((id) => operations.CHANGES[id] === true)
      expect(changed(story.operations.before, story.operations.after)).toEqual(expected)
    })

    test('tells of a single trade wherever it should, and nowhere else', () => {
      const found = changed(story.operations.joined, story.operations.traded)
      expect(found).toEqual([...operations.TOLD])
    })

    test('has the points that the points route tells', async () => {
      const { address } = story.user.wallet
      expect(await story.rig.get('/api/prep/points', { address })).toEqual({
        enabled: true,
        merits: story.operations.after.get('rewards.userMerits'),
        epochs: story.operations.after.get('rewards.epochs'),
      })
    })

    test('tells the same to whoever asks again', async () => {
      const again = await story.walk()
      expect(changed(story.operations.after, again)).toEqual([])
    })
  })

  describe('the relay', () => {
    const told = (call: string) => story.relayed.after.get(call) ?? story.written.get(call)

    test('has answered 60 calls, and knows two that the wire does not have', async () => {
      const { relayed: reads, written, rig, user } = story
      expect([...reads.after.keys()].sort()).toEqual([...READS].sort())
      const all = [...reads.after.keys(), ...written.keys(), ...relayed.UNKNOWN]
      expect(all.sort()).toEqual([...CALLS].sort())
      expect([...EXAMPLES.keys(), ...relayed.UNKNOWN].sort()).toEqual([...CALLS].sort())
      for (const call of relayed.UNKNOWN) {
        const path = call.replace('GET ', '').replace('{id}', '7')
        expect(await answerOf(() => rig.call(user, 'GET', path))).toBe('not_found')
      }
    })

    test('has the fields and types of the wire, but for what is listed', () => {
      const found = [...EXAMPLES].flatMap(([call, answer]) => {
        const example = Object(answer).data === undefined ? {} : payloadOf({ answer })
        return differences(told(call), example).map((line) => `${call} ${line}`)
      })
      const unlisted = found.filter((line) => !relayed.BY_MARKET.test(line))
      expect(unlisted.sort()).toEqual(Object.keys(relayed.LAX).sort())
    })

    test('has rows wherever it has a list', () => {
      const found = READS.flatMap((call) => emptyLists(told(call), call))
      expect(found.filter((at) => !relayed.EMPTY.test(at))).toEqual([])
    })

    test('took the profit of its bracket, and was liquidated for what was left', () => {
      const { rows } = Object(told('GET /v1/algo/orders'))
      const legs = rows.flatMap((row: Record<string, unknown>) => row['child_orders'])
      expect(legs).toContainEqual(
        expect.objectContaining({ algo_type: 'TAKE_PROFIT', is_triggered: 'true' }),
      )
      const history = Object(told('GET /v1/position_history'))
      const types = history.rows.map((row: Record<string, unknown>) => row['type'])
      expect(types).toContain('liquidated')
    })

    test('answers another thing than before, wherever the story is told', () => {
      const { before, after } = story.relayed
      const same = READS.filter((call) => Bun.deepEquals(before.get(call), after.get(call)))
      expect(same).toEqual([...relayed.SAME])
    })

    test('moves nothing by being read', async () => {
      expect([...(await story.read())]).toEqual([...story.relayed.after])
    })
  })

  test('every book of the venue is sound', async () => {
    expect(await story.rig.check()).toEqual([])
  })
})
