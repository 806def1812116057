import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientFailure } from '../../src/client/client.ts'
import { RELAY_PATHS } from '../../src/spec/allowlist.ts'
import { TARGET_KINDS } from '../target.ts'
import answers from '../vectors/upstream/relay-answers.json'
import { differences, emptyLists } from './differences.ts'
import { openMoneyRig } from './money-rig.ts'
import { payloadOf } from './payload.ts'
import { type Story, tellStory } from './relay-story.ts'

/** No such path on the wire, although a caller may ask for them. */
const UNKNOWN = ['GET /v1/notification/inbox', 'GET /v1/notification/inbox/{id}']

/** Where an answer may differ from the recorded one in its fields or their types, and why it may. */
// biome-ignore format: one difference a line
const LAX: Readonly<Record<string, string>> = {
  'GET /v1/algo/order/{id} .activated_price is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .average_executed_price is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/order/{id} .callback_rate is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .callback_value is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .client_order_id is too many': 'it is how a client finds its order',
  'GET /v1/algo/order/{id} .extreme_price is too many': 'of trailing stops',
  'GET /v1/algo/order/{id} .order_tag is null, not string': 'null without a tag',
  'GET /v1/algo/order/{id} .price is too many': 'of the limit orders it places',
  'GET /v1/algo/order/{id} .reduce_only is too many': 'it was asked for',
  'GET /v1/algo/order/{id} .trigger_price is null, not number': 'a bracket has none',
  'GET /v1/algo/order/{id} .trigger_time is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/orders .rows[].activated_price is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].average_executed_price is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/algo/orders .rows[].callback_rate is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].callback_value is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].client_order_id is too many': 'it is how a client finds its order',
  'GET /v1/algo/orders .rows[].extreme_price is too many': 'of trailing stops',
  'GET /v1/algo/orders .rows[].order_tag is null, not string': 'null without a tag',
  'GET /v1/algo/orders .rows[].price is too many': 'of the limit orders it places',
  'GET /v1/algo/orders .rows[].reduce_only is too many': 'it was asked for',
  'GET /v1/algo/orders .rows[].trigger_price is null, not number': 'a bracket has none',
  'GET /v1/algo/orders .rows[].trigger_time is too many': 'documented elsewhere, and missing in the example',
  'GET /v1/client/info .free_collateral is too many': 'the specification of the surface names it',
  'GET /v1/client/info .maintenance_margin_ratio is too many': 'the specification of the surface names it',
  'GET /v1/client/info .margin_ratio is too many': 'the specification of the surface names it',
  'GET /v1/client/info .total_collateral_value is too many': 'the specification of the surface names it',
  'GET /v1/client/info .total_unsettled_pnl is too many': 'the specification of the surface names it',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_price is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_quantity is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.executed_timestamp is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.liquidation_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.order_id is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.settle_pnl_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.settled_amount is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.side is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.symbol is missing': 'of fills alone',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.symbols is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.algo_order_id is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.algo_type is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.trigger_price is too many': 'what else is told has members of its own',
  'GET /v1/notification/inbox/notifications .rows[].content_raw.trigger_time is too many': 'what else is told has members of its own',
  'GET /v1/orders .rows[].client_order_id is string, not null': 'null unless the client gave one',
  'GET /v1/order/{id} .price is null, not number': 'null for a market order',
  'GET /v1/orders .rows[].price is null, not number': 'null for a market order',
  'GET /v1/referral/multi_level/referee_list .rows[].direct_traded is too many': 'documented beside it',
  'GET /v1/referral/multi_level/referee_list .rows[].indirect_traded is too many': 'documented beside it',
  'POST /v1/batch-order .rows[].order_amount is too many': 'as in the answer to one order',
}

/** Maps by market: an example names two of them. */
const BY_MARKET = /\.(?:imr_factor|max_notional)\.PERP_[\w-]+ is too many$/

/** Lists that may be empty: no key is bound to addresses, and not every algo order has legs. */
const EMPTY = /(?:ip_restriction_list|child_orders)$/

/** Reads that a story of trades and money is no part of. */
const SAME: readonly string[] = ['GET /v1/client/key_info']

const CALLS = RELAY_PATHS.flatMap(({ path, methods, words = {} }) => [
  ...methods.map((method) => `${method} ${path}`),
  ...Object.entries(words).flatMap(([word, taken]) =>
    taken.map((method) => `${method} ${path.replace('{id}', word)}`),
  ),
])
const READS = CALLS.filter((call) => call.startsWith('GET ') && !UNKNOWN.includes(call))
const EXAMPLES: ReadonlyMap<string, unknown> = new Map(Object.entries(answers))

describe.each([...TARGET_KINDS])('every relayed call of the embedded venue, %s', (kind) => {
  let story: Story
  let stop: () => Promise<void>
  const unknown = new Map<string, unknown>()

  beforeAll(async () => {
    const rig = await openMoneyRig(kind)
    stop = rig.stop
    story = await tellStory(rig)
    for (const call of UNKNOWN) {
      const path = call.replace('GET ', '').replace('{id}', '7')
      try {
        unknown.set(call, await rig.call(story.user, 'GET', path))
      } catch (error) {
        unknown.set(call, error instanceof ClientFailure ? error.code : error)
      }
    }
  }, 180_000)
  afterAll(() => stop())

  const told = (call: string) => story.after.get(call) ?? story.written.get(call)

  test('is in the story: 60 calls, and two that the wire does not have', () => {
    expect([...story.after.keys()].sort()).toEqual([...READS].sort())
    expect([...story.after.keys(), ...story.written.keys(), ...UNKNOWN].sort()).toEqual(
      [...CALLS].sort(),
    )
    expect([...EXAMPLES.keys(), ...UNKNOWN].sort()).toEqual([...CALLS].sort())
    expect([...unknown.values()]).toEqual(UNKNOWN.map(() => 'not_found'))
  })

  test('has the fields and types of the wire, but for what is listed', () => {
    const found = [...EXAMPLES].flatMap(([call, answer]) => {
      const example = Object(answer).data === undefined ? {} : payloadOf({ answer })
      return differences(told(call), example).map((line) => `${call} ${line}`)
    })
    const unlisted = found.filter((line) => !BY_MARKET.test(line))
    expect(unlisted.sort()).toEqual(Object.keys(LAX).sort())
  })

  test('has rows wherever it has a list', () => {
    const found = READS.flatMap((call) => emptyLists(story.after.get(call), call))
    expect(found.filter((at) => !EMPTY.test(at))).toEqual([])
  })

  test('took the profit of its bracket, and was liquidated for what was left', () => {
    const { rows } = Object(story.after.get('GET /v1/algo/orders'))
    const legs = rows.flatMap((row: Record<string, unknown>) => row['child_orders'])
    expect(legs).toContainEqual(
      expect.objectContaining({ algo_type: 'TAKE_PROFIT', is_triggered: 'true' }),
    )
    const history = Object(story.after.get('GET /v1/position_history'))
    const types = history.rows.map((row: Record<string, unknown>) => row['type'])
    expect(types).toContain('liquidated')
  })

  test('answers another thing after the story, wherever the story is told', () => {
    const same = READS.filter((call) =>
      Bun.deepEquals(story.before.get(call), story.after.get(call)),
    )
    expect(same).toEqual([...SAME])
  })

  test('moves nothing by being read', async () => {
    expect([...(await story.read())]).toEqual([...story.after])
  })
})
