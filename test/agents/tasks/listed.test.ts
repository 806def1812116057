import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { instructionsFor } from '../../../src/agents/protocol/instructions.ts'
import { TOOLS } from '../../../src/agents/tools/tools.ts'
import { jsonPost } from '../../caller.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'
import { LISTED_TASKS } from './listed.ts'
import type { Event, ListedTask } from './listed-task.ts'
import { newcomer } from './newcomer.ts'
import { ETH } from './task.ts'

const OPERATOR_KEY = 'the-operator-key-of-the-test-of-tasks'
const CALLS_PER_FEWEST = 1.3

/** The list as `tools/list` sends it: an agent sees nothing else. */
const LISTED = TOOLS.map(({ name, title, description, arguments: inputSchema }) => ({
  ...{ name, description, inputSchema },
  annotations: { title },
}))

let service: ToolWorld
beforeAll(async () => {
  // Half a minute before funding is paid.
  service = await openEmbeddedWorld({
    OPERATOR_KEY,
    VENUE_START: '2026-01-01T07:59:30Z',
    LIMIT_READ: 'off',
    LIMIT_RELAY: 'off',
  })
})
afterAll(() => service.stop())

/** Moves the price of ETH by a share, and lets a minute pass. */
async function priceMoves(share: number): Promise<void> {
  const shock = jsonPost({ symbol: ETH, share })
  const headers = { ...Object(shock.headers), authorization: `Bearer ${OPERATOR_KEY}` }
  await service.fetch('/api/admin/venue/price/shock', { ...shock, headers })
  await service.ops('/venue/advance?ms=60000', { method: 'POST' })
}

function venueOf({ client, credentials }: ToolWorld) {
  return (path: string): Promise<Loose> =>
    path.startsWith('/v1/') ? client.relay(credentials, { method: 'GET', path }) : client.get(path)
}

/** The calls of an agent, and what happens meanwhile. */
function livedIn(world: ToolWorld) {
  const { client } = world
  let losesNext = false
  const relay: typeof client.relay = async (credentials, call) => {
    const answer = await client.relay(credentials, call)
    if (!losesNext || call.method === 'GET') return answer
    losesNext = false
    throw new Error('connection reset')
  }
  const events: Readonly<Record<Event, () => Promise<void>>> = {
    'price rises': () => priceMoves(0.04),
    'price falls': () => priceMoves(-0.04),
    'the next answer to a write is lost': async () => {
      losesNext = true
    },
  }
  return {
    call: (name: string, args: object) => world.call(name, args, { client: { ...client, relay } }),
    meanwhile: (event: Event) => events[event](),
  }
}

async function played({ prepare, run }: ListedTask) {
  const world = await service.another()
  await prepare?.(world)
  const { call, meanwhile } = livedIn(world)
  const agent = newcomer({ instructions: instructionsFor('embedded'), tools: LISTED, call })
  const answer = await run(agent, meanwhile)
  return { world, agent, answer, placed: await placedAs(world, agent.calls, answer) }
}

/** Previews are compared with the venue's own figures: the order is placed once the agent has answered. */
async function placedAs(world: ToolWorld, calls: readonly string[], { suggested, account }: Loose) {
  if (calls.join() !== 'preview_order') return false
  const { symbol } = suggested
  await world.call('set_leverage', { symbol, leverage: account.leverage })
  await world.call('place_order', suggested)
  return true
}

test('there are twenty-seven tasks, each asked in its own words', () => {
  expect(new Set(LISTED_TASKS.map(({ asked }) => asked)).size).toBe(27)
})

describe('an agent that has read the list alone does it in hardly more calls than are needed, with the figures of the venue:', () => {
  const counts: (readonly [fewest: number, made: number])[] = []

  test.each(LISTED_TASKS.map((task) => [task.asked, task] as const))('%s', async (_, task) => {
    const { world, agent, answer, placed } = await played(task)
    expect(await task.isDone({ ...answer, placed }, venueOf(world))).toBe(true)
    expect(agent.calls.length).toBeGreaterThanOrEqual(task.fewest)
    expect(agent.calls.length).toBeLessThanOrEqual(CALLS_PER_FEWEST * task.fewest)
    counts.push([task.fewest, agent.calls.length])
  })

  test('all of them together', () => {
    const [fewest, made] = [0, 1].map((at) =>
      counts.reduce((total, row) => total + (row[at] ?? 0), 0),
    )
    expect({ tasks: counts.length, fewest, made }).toEqual({ tasks: 27, fewest: 50, made: 50 })
  })
})

// Slow: each of the tasks is prepared with an account of its own.
test('nothing is done by preparing alone', async () => {
  const answer: Loose = {
    positions: [{}],
    pnl: { last_24h: {} },
    orders: [{}],
    closed: [],
    fills: [],
    estimate: {},
    account: {},
  }
  for (const { prepare, isDone } of LISTED_TASKS) {
    const world = await service.another()
    await prepare?.(world)
    expect(await isDone(answer, venueOf(world)).catch(() => false)).toBeFalsy()
  }
})
