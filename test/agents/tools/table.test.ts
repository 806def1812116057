import { expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer'
import { answer } from '../../../src/agents/protocol/protocol.ts'
import { TOOLS } from '../../../src/agents/tools/tools.ts'
import { createNameTest } from '../../../src/gateway/scrub/venue-name.ts'
import snapshot from '../../snapshots/tools.json'
import { exchangeOf } from '../fixture.ts'
import { request } from '../rpc.ts'

const TOOLS_MAX = 55
const TOKENS_MAX = 8000
const DESCRIPTION_MAX_CHARS = 400
const FLAT = ['string', 'number', 'integer', 'boolean', 'object']

/** Each tool as tools/list answers it. */
const shown = JSON.parse(
  JSON.stringify(
    TOOLS.map(({ name, title, description, arguments: inputSchema, annotations }) => {
      return { name, title, description, inputSchema, annotations }
    }),
  ),
)

test('definitions are those of the snapshot, which changes only on purpose', () => {
  expect(shown).toEqual(snapshot)
})

test(`there are at most ${TOOLS_MAX} tools with names of their own`, () => {
  expect(TOOLS.length).toBeLessThanOrEqual(TOOLS_MAX)
  expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length)
})

test(`the list costs at most ${TOKENS_MAX} tokens as it is sent`, async () => {
  const { exchange } = exchangeOf(TOOLS)
  const { body } = await answer(request('tools/list'), exchange)
  const sent: object[] = Object(body).result.tools
  expect(sent.length).toBe(TOOLS.length)
  const tokens = sent.reduce((sum, tool) => sum + encode(JSON.stringify(tool)).length, 0)
  expect(tokens).toBeLessThanOrEqual(TOKENS_MAX)
  expect(tokens).toBeGreaterThan(TOKENS_MAX / 2)
})

test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
  '%s has a flat schema that every client takes',
  (_, tool) => {
    expect(tool.arguments.type).toBe('object')
    expect(tool.arguments['additionalProperties']).toBe(false)
    for (const property of Object.values(tool.arguments.properties)) {
      expect(FLAT).toContain(property['type'])
      expect(property.description).toBeString()
    }
    const text = JSON.stringify(tool.arguments)
    expect(text).not.toMatch(/"(?:anyOf|oneOf|allOf|not|\$ref|\$id|const)"/)
    expect(tool.description.length).toBeLessThanOrEqual(DESCRIPTION_MAX_CHARS)
  },
)

test('what has a default is not required: a client that checks the schema may leave it out', () => {
  const defaulted = TOOLS.flatMap(({ name, arguments: { properties, required = [] } }) =>
    Object.keys(properties)
      .filter((key) => properties[key]?.['default'] !== undefined)
      .map((key) => [name, key, required.includes(key)] as const),
  )
  expect(defaulted.length).toBeGreaterThan(30)
  expect(defaulted.filter(([, , isRequired]) => isRequired)).toEqual([])
  const order = TOOLS.find(({ name }) => name === 'place_order')
  expect(order?.arguments.required).toEqual(['symbol', 'side', 'order_type'])
})

test('objects inside schemas have a named property', () => {
  const inner = TOOLS.flatMap(({ arguments: schema }) => Object.values(schema.properties)).filter(
    (property) => property['type'] === 'object',
  )
  expect(inner.length).toBe(3)
  for (const property of inner) expect(Object.keys(property['properties'])).not.toEqual([])
})

test('tools that change nothing say so, and only they do', () => {
  const writes = TOOLS.filter(({ annotations }) => !annotations.readOnlyHint)
  expect(writes.map(({ name }) => name).toSorted()).toEqual([
    'bind_referral_code',
    'cancel_algo_order',
    'cancel_all_orders',
    'cancel_order',
    'claim_referral_code',
    'close_all',
    'close_position',
    'edit_algo_order',
    'edit_order',
    'place_algo_order',
    'place_order',
    'rebalance',
    'rename_referral_code',
    'request_withdrawal',
    'set_leverage',
    'set_margin_mode',
    'set_position_tp_sl',
    'standby',
  ])
  expect(writes.every(({ needsCredentials }) => needsCredentials)).toBe(true)
  for (const { annotations } of writes) {
    expect(Object.keys(annotations)).toEqual(['readOnlyHint', 'destructiveHint', 'idempotentHint'])
  }
})

test('a tool that needs credentials says so last', () => {
  for (const { description, needsCredentials } of TOOLS) {
    expect(description.endsWith('Needs credentials.')).toBe(needsCredentials)
  }
})

test('no text names the venue', () => {
  const isVenueName = createNameTest([])
  const words = JSON.stringify(shown).split(/[^A-Za-z0-9]+/)
  expect(
    words.filter((word) => /orderly/i.test(word) || (word.length > 6 && isVenueName(word))),
  ).toEqual([])
})
