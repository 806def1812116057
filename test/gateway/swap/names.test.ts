import { afterEach, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { isObject } from '../../../src/core/json.ts'
import type { SwapAccess } from '../../../src/gateway/swap/access.ts'
import { swapChains, swapTokens } from '../../../src/gateway/swap/lists.ts'
import { swapQuote } from '../../../src/gateway/swap/quote.ts'
import { StatusRefusal } from '../../../src/gateway/swap/refusal.ts'
import { swapStatus } from '../../../src/gateway/swap/status.ts'
import wire from '../../vectors/swap-wire.json'
import {
  HASH,
  QUOTE_QUERY,
  queryOf,
  stopSwapUpstreams,
  swapFixture,
  type WireName,
} from './fixture.ts'

afterEach(stopSwapUpstreams)

const VERBS: Readonly<Record<WireName, (deps: SwapAccess) => ReturnType<typeof swapChains>>> = {
  chains: swapChains,
  tokens: (deps) => swapTokens(deps, queryOf({ chainId: '1' })),
  quote: (deps) => swapQuote(deps, queryOf(QUOTE_QUERY)),
  status: (deps) => swapStatus(deps, queryOf({ txHash: HASH })),
}

const NAMES: readonly WireName[] = ['chains', 'tokens', 'quote', 'status']
const WEEK_MS = 604_800_000
const PLANTED = ['Squid Router', 'https://scan.li.fi/tx/1', 'Powered by LI.FI']
/** A copy in which every string leaf that `picks` chooses says something else, and every object says more. */
function planted(value: unknown, text: string, picks: () => boolean): unknown {
  if (typeof value === 'string') return picks() ? text : value
  if (Array.isArray(value)) return value.map((item) => planted(item, text, picks))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, item]) => [key, planted(item, text, picks)])
  return { ...Object.fromEntries(members), vendor: text, provider: text, via: text, [text]: text }
}

function countLeaves(value: unknown): number {
  let leaves = 0
  planted(value, '', () => {
    leaves += 1
    return false
  })
  return leaves
}

/** Every string of an answer, keys included. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...stringsOf(item)])
}

async function answerOf(call: Promise<{ readonly reply: { readonly text: () => string } }>) {
  try {
    return (await call).reply.text()
  } catch (error) {
    if (error instanceof Failure || error instanceof StatusRefusal) return 'null'
    throw error
  }
}

describe('a venue’s name in any field of the upstream’s answer gets nowhere', () => {
  // Slow: a name is planted in each field of each answer.
  test.each(NAMES)('%s, one field at a time and all at once', async (name) => {
    const { answers, deps, sent, world } = await swapFixture()
    const leaves = countLeaves(wire[name])
    let answered = 0
    for (const text of PLANTED) {
      for (let chosen = -1; chosen < leaves; chosen++) {
        let at = 0
        const json = planted(wire[name], text, () => at++ === chosen || chosen < 0)
        answers[name] = { json }
        // Nothing that was answered before is kept so long.
        world.nowMs += WEEK_MS
        const answer = await answerOf(VERBS[name](deps))
        const strings = stringsOf(JSON.parse(answer))
        expect(strings.filter((string) => /squid|li\W?fi|powered/i.test(string))).toEqual([])
        if (strings.length > 0) answered += 1
      }
    }
    // Most fields are not read, so most answers are given, and the test has looked at something.
    expect(answered).toBeGreaterThan(leaves)
    expect(sent(name)).toHaveLength(PLANTED.length * (leaves + 1))
  })
})
