import { describe, expect, test } from 'bun:test'
import { type TObject, Type } from '@sinclair/typebox'
import { readArguments } from '../../src/agents/read-arguments.ts'
import { ToolFailure } from '../../src/agents/tool.ts'
import {
  argumentSchema,
  choice,
  decimal,
  flag,
  optional,
  rows,
  text,
} from '../../src/agents/tool-arguments.ts'

const SCHEMA = argumentSchema({
  symbol: text('Market.'),
  side: optional(choice(['BUY', 'SELL'], 'Side.')),
  order_quantity: optional(decimal('Size.', { exclusiveMinimum: 0 })),
  percent: optional(decimal('Share in percent.', { minimum: 1, maximum: 100 })),
  limit: rows(50, 20),
  reduce_only: flag('Only shrink.'),
})
const STRICT = { tool: 'a_write', effect: 'does all of it' }

function refusedArguments(
  raw: unknown,
  options: Parameters<typeof readArguments>[2] = STRICT,
  schema: TObject = SCHEMA,
): ToolFailure {
  try {
    readArguments(schema, raw, options)
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
  throw new Error('expected a refusal')
}

describe('what a model means is read', () => {
  test.each([
    ['defaults are filled in', {}, { limit: 20, reduce_only: false }],
    ['null is absent', { side: null, limit: null }, { limit: 20 }],
    ['a number as text', { order_quantity: '0.10' }, { order_quantity: 0.1 }],
    ['an exponent', { order_quantity: '1e-7' }, { order_quantity: 1e-7 }],
    ['18 decimals', { order_quantity: 1e-18 }, { order_quantity: 1e-18 }],
    ['a boolean as text', { reduce_only: 'true' }, { reduce_only: true }],
    ['a boolean as Python writes it', { reduce_only: 'True' }, { reduce_only: true }],
    ['a false one', { reduce_only: 'False' }, { reduce_only: false }],
    ['a word in another case', { side: 'buy' }, { side: 'BUY' }],
    ['a whole number as text', { limit: '7' }, { limit: 7 }],
    ['a text given as a number', { symbol: 42161 }, { symbol: '42161' }],
  ])('%s', (_, given, expected) => {
    const read = readArguments(SCHEMA, { symbol: 'PERP_ETH_USDC', ...given }, STRICT)
    expect(read).toMatchObject(expected)
    expect(Object.values(read)).not.toContain(null)
  })
})

describe('what it cannot mean is refused with what is expected', () => {
  test.each([
    ['a required one is missing', {}, { parameter: 'symbol', reason: 'missing' }],
    ['it has another name', { symbl: 'X' }, { parameter: 'symbl', rename_to: 'symbol' }],
    [
      'it has half a name',
      { symbol: 'X', quantity: 1 },
      { parameter: 'quantity', rename_to: 'order_quantity' },
    ],
    [
      'nobody asked for it',
      { symbol: 'X', leverage: 5 },
      { parameter: 'leverage', reason: 'unknown_argument' },
    ],
    [
      'a number of more than 18 decimals, which would be read as absent',
      { symbol: 'X', order_quantity: 0.001_234_567_890_123_456_7 },
      { parameter: 'order_quantity', reason: 'malformed' },
    ],
    [
      'another word',
      { symbol: 'X', side: 'BYU' },
      { parameter: 'side', reason: 'malformed', allowed: ['BUY', 'SELL'], suggestion: 'BUY' },
    ],
    [
      'a number too small',
      { symbol: 'X', percent: 0.5 },
      { parameter: 'percent', reason: 'out_of_range', minimum: 1, maximum: 100 },
    ],
    [
      'zero',
      { symbol: 'X', order_quantity: 0 },
      { parameter: 'order_quantity', reason: 'out_of_range', exclusiveMinimum: 0 },
    ],
    ['no number', { symbol: 'X', order_quantity: 'a lot' }, { parameter: 'order_quantity' }],
    [
      'more digits than a number holds',
      { symbol: 'X', order_quantity: '0.12345678901234567' },
      { parameter: 'order_quantity' },
    ],
    ['half a row', { symbol: 'X', limit: 1.5 }, { parameter: 'limit' }],
    ['a list', { symbol: ['X'] }, { parameter: 'symbol' }],
    ['a lone surrogate', { symbol: '\ud800' }, { parameter: 'symbol' }],
  ])('%s', (_, given, meta) => {
    const failure = refusedArguments(given)
    expect(failure.code).toBe('invalid_request')
    expect(failure.retryable).toBe(false)
    expect(failure.meta).toMatchObject({ ...meta, next: expect.any(String) })
  })

  test('arguments that are no object', () => {
    expect(refusedArguments('symbol').meta).toMatchObject({ parameter: 'arguments' })
  })
})

describe('what limits a loss is never left out lightly', () => {
  const asked = [
    'stop_loss',
    'stopLoss',
    'stop_price',
    'sl',
    'tp_price',
    'take_profit',
    'trigger_price',
    'trailing_stop',
    'STOP',
  ]
  test.each(asked)('%s where nothing holds it', (name) => {
    const { meta } = refusedArguments({ symbol: 'X', [name]: 1500 })
    expect(meta).toMatchObject({ parameter: name, reason: 'unknown_argument' })
    expect(meta['next']).toMatch(/Nothing was sent.*Ask the user.*set_position_tp_sl/)
    expect(meta).not.toHaveProperty('rename_to')
    expect(JSON.stringify(meta)).not.toContain('eave it out')
  })

  test.each([
    ['stop_price', 'stop_loss_price'],
    ['trailing_callback', undefined],
    ['stop_loss_pric', 'stop_loss_price'],
  ])('%s where something like it is held', (name, meant) => {
    const schema = argumentSchema({
      symbol: text('Market.'),
      stop_loss_price: optional(decimal('Trigger.')),
    })
    const { meta } = refusedArguments({ symbol: 'X', [name]: 1500 }, STRICT, schema)
    expect(meta['rename_to']).toBe(meant)
    expect(JSON.stringify(meta)).not.toContain('eave it out')
  })
})

test('a read refuses what it does not know, and notices a slip of the keys', () => {
  const reads = { tool: 'a_read' }
  const { meta } = refusedArguments({ symbol: 'X', leverage: 5 }, reads)
  expect(meta).toMatchObject({ parameter: 'leverage', reason: 'unknown_argument' })
  expect(meta['next']).toContain('not narrowed by it')
  expect(refusedArguments({ symbl: 'X' }, reads).meta).toMatchObject({ rename_to: 'symbol' })
})

describe('what stands for nothing, and what would stand for more than was meant', () => {
  const schema = argumentSchema({
    symbol: optional(text('Only this market.', { minLength: 1 })),
    client_order_id: optional(text('Id.')),
    side: optional(choice(['BUY', 'SELL'], 'Side.')),
    percent: decimal('Share.', { minimum: 1, default: 100 }),
  })

  test.each(['client_order_id', 'side'])('an empty %s is absent', (name) => {
    expect(readArguments(schema, { [name]: '' }, STRICT)).toEqual({ percent: 100 })
  })

  test.each(['symbol', 'percent'])('an empty %s does not widen a write', (name) => {
    expect(refusedArguments({ [name]: '' }, STRICT, schema).meta).toMatchObject({
      parameter: name,
      reason: 'too_short',
    })
  })

  test('an empty default of a read is the default', () => {
    expect(readArguments(schema, { percent: '' }, { tool: 'a_read' })).toEqual({ percent: 100 })
  })
})

describe('an object may come as its JSON text', () => {
  const schema = argumentSchema({
    targets: optional(
      Type.Object({ ETH: Type.Optional(Type.Number()) }, { additionalProperties: Type.Number() }),
    ),
  })

  test('it is read as the object', () => {
    const targets = { ETH: 0.5, SOL: -0.1 }
    const read = readArguments(schema, { targets: JSON.stringify(targets) }, STRICT)
    expect(read).toEqual({ targets })
  })

  test.each(['[1]', '"ETH"', '{"ETH":', '{"ETH":"much"}', ''.padEnd(9, '[')])(
    '%s is none',
    (targets) => {
      expect(refusedArguments({ targets }, STRICT, schema).meta['parameter']).toBe('targets')
    },
  )

  test('a key in it is refused and not repeated', () => {
    const hex = 'a1'.repeat(32)
    const failure = refusedArguments({ targets: `{"ETH":"${hex}"}` }, STRICT, schema)
    expect(failure.meta).toMatchObject({ reason: 'holds_key' })
    expect(JSON.stringify([failure.message, failure.meta])).not.toContain(hex)
  })
})

describe('secrets are refused and never repeated', () => {
  const hex = 'a1'.repeat(32)
  const phrase =
    'abandon ability able about above absent absorb abstract absurd abuse access accident'
  test.each([
    ['bare hex', { symbol: hex }, hex],
    ['prefixed hex', { symbol: `0x${hex}` }, hex],
    ['a seed phrase', { symbol: phrase }, phrase],
    ['a name', { symbol: 'X', [hex]: 1 }, hex],
    ['inside an object', { symbol: { deep: hex } }, hex],
  ])('%s', (_, given, secret) => {
    const failure = refusedArguments(given)
    expect(failure.meta).toMatchObject({ reason: 'holds_key' })
    expect(JSON.stringify([failure.message, failure.meta])).not.toContain(secret)
  })

  test('a transaction hash is none', () => {
    const schema = argumentSchema({ tx_hash: text('Hash.') })
    const tx_hash = `0x${hex}`
    expect(readArguments(schema, { tx_hash }, STRICT)).toEqual({ tx_hash })
  })
})
