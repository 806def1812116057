import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TOOLS } from '../../../src/agents/tools/tools.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, toolNamed } from '../tool-world.ts'
import { combined, misspellings, SYNONYMS, styles } from './argument-variants.ts'
import { type Call, obeyed } from './obedient.ts'
import { WRITE_CALLS, WRITES } from './write-calls.ts'

/** The same value in the unit that a word says. */
const IN_UNIT: Readonly<Record<string, (value: Loose) => Loose>> = {
  ...{ fraction: hundredth, share: hundredth, ratio: hundredth, portion: hundredth },
  ...{ size: whole, quantity: whole, amount: whole, order_quantity: whole },
  slippageBps: (value) => value * 10_000,
  slippage_pct: (value) => value * 100,
  trailing_percent: (value) => value * 100,
  timeout_ms: (value) => value * 1000,
  minutes: (value) => value / 60,
  keep_stops: (value) => !value,
  only_algo: (value) => !value,
}

function hundredth(value: Loose): Loose {
  return value / 100
}
function whole(value: Loose): Loose {
  return value
}

let service: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld()
})
afterAll(() => service.stop())

/** A call without its effect: what the service would be asked is a failure of the service. */
async function readOnly({ tool, args }: Call): Promise<void> {
  const away = async () => {
    throw new Error('away')
  }
  const client = {
    ...service.client,
    get: away,
    post: away,
    relay: away,
    consented: away,
    armStandby: away,
  }
  const failure = await service.refused(tool, args, { client })
  if (failure.code === 'invalid_request') throw failure
}

function renamed(tool: string, args: Loose, from: string, to: string): Call {
  const { [from]: value, ...others } = args
  return { tool, args: { ...others, [to]: IN_UNIT[to] ? IN_UNIT[to](value) : value } }
}

function isOwn(tool: string, name: string): boolean {
  return Object.hasOwn(toolNamed(tool).arguments.properties, name)
}

const CASES = WRITES.flatMap((tool) =>
  (WRITE_CALLS[tool] ?? []).flatMap((args: Loose) =>
    Object.keys(args).map((argument) => [tool, argument, args] as const),
  ),
)

test('every argument of every write is in some call', () => {
  const called = new Set(CASES.map(([tool, argument]) => `${tool} ${argument}`))
  const missing = WRITES.flatMap((tool) =>
    Object.keys(toolNamed(tool).arguments.properties)
      .map((name) => `${tool} ${name}`)
      .filter((name) => !called.has(name)),
  )
  // Three of a signed withdrawal, and a plan, which only a first call answers.
  expect(missing).toEqual([
    'rebalance plan',
    ...['nonce', 'timestamp', 'signature'].map((name) => `request_withdrawal ${name}`),
  ])
})

describe('a model that obeys sends the call that it meant, or none, where an argument has a wrong name:', () => {
  let [understood, all] = [0, 0]

  test.each(CASES)('%s %s', async (tool, argument, args) => {
    const words = [...misspellings(argument), ...styles(argument), ...(SYNONYMS[argument] ?? [])]
    const unknown = words.filter((word) => !isOwn(tool, word))
    expect(unknown.length).toBeGreaterThan(5)
    for (const word of unknown) {
      const { sent } = await obeyed(renamed(tool, args, argument, word), readOnly)
      if (sent) expect({ word, ...sent }).toEqual({ word, tool, args })
      all += 1
      understood += Number(sent !== null)
    }
  })

  test('most of these are understood', () => {
    expect(all).toBeGreaterThan(1000)
    expect(understood / all).toBeGreaterThan(0.9)
  })
})

/** Every two arguments of a call, each with one of its names that is wrong. */
function pairsOf(tool: string, args: Loose): readonly Call[] {
  const wrong = (name: string, at: number) => {
    const words = [...styles(name), ...misspellings(name)].filter((word) => !isOwn(tool, word))
    return words[at % words.length] ?? name
  }
  const names = Object.keys(args)
  return names.flatMap((first, at) =>
    names.slice(at + 1).flatMap((second, beside) =>
      [0, 3, 7, 11].map((nth) => {
        const { [first]: one, [second]: other, ...others } = args
        const named = { [wrong(first, nth + at)]: one, [wrong(second, nth + beside)]: other }
        return { tool, args: { ...others, ...named } }
      }),
    ),
  )
}

describe('nor is another call sent where two arguments have wrong names:', () => {
  const calls = WRITES.flatMap((tool) =>
    (WRITE_CALLS[tool] ?? []).map((args: Loose) => [tool, args] as const),
  )

  test.each(calls.filter(([, args]) => Object.keys(args).length > 1))('%s', async (tool, args) => {
    let understood = 0
    for (const call of pairsOf(tool, args)) {
      const { sent } = await obeyed(call, readOnly)
      if (sent) expect({ call, sent }).toEqual({ call, sent: { tool, args } })
      understood += Number(sent !== null)
    }
    expect(understood).toBeGreaterThan(0)
  })
})

const STEMS = [
  ...new Set(
    TOOLS.flatMap(({ arguments: { properties } }) =>
      Object.keys(properties).flatMap((name) => [name, ...name.split('_')]),
    ),
  ),
]

// Slow: thousands of names are tried with every write.
test.each(WRITES)('%s is never sent without an argument that it does not know', async (tool) => {
  const { required = [], properties } = toolNamed(tool).arguments
  const [full = {}] = WRITE_CALLS[tool] ?? []
  const least = Object.fromEntries(required.map((name) => [name, full[name]]))
  const words = combined(STEMS).filter((word) => !Object.hasOwn(properties, word))
  expect(words.length).toBeGreaterThan(2000)
  for (const word of words) {
    const { sent } = await obeyed({ tool, args: { ...least, [word]: VALUE } }, readOnly)
    // The value may be in another unit, and is there.
    const isThere =
      sent === null ||
      Object.values(sent.args).includes(VALUE) ||
      (sent.tool === tool && Object.keys(sent.args).length > required.length)
    expect({ word, isThere }).toEqual({ word, isThere: true })
  }
})

const VALUE = 7
