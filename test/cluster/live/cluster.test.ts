import { afterEach, beforeEach, describe, expect, test, vi } from 'bun:test'
import fc from 'fast-check'
import { type Member, openCluster, TOPICS } from './world.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const [TOPIC] = TOPICS
const INSTANCES = 3
/** Longer than a lead, a look and a question for a book together. */
const HEALED_MS = 15_000

const instance = fc.nat(INSTANCES - 1)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      topic: fc.constantFrom(...TOPICS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(25, 50, 300, 1000, 3500),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      at: instance,
      fault: fc.constantFrom('lost' as const, 'twice' as const, 'late' as const),
    }),
  },
  fc.record({
    kind: fc.constantFrom('away' as const, 'back' as const, 'stop' as const, 'kill' as const),
    at: instance,
  }),
  fc.record({ kind: fc.constantFrom('cut' as const, 'forget' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

type Cluster = ReturnType<typeof openCluster>

async function take(cluster: Cluster, members: Member[], one: Step): Promise<void> {
  if (one.kind === 'publish') cluster.publish(one.topic)
  else if (one.kind === 'pass') await cluster.pass(one.ms)
  else if ('at' in one) takeAt(cluster, members, one)
  else if (one.kind === 'cut') cluster.cut()
  else cluster.forget()
}

function takeAt(cluster: Cluster, members: Member[], one: Extract<Step, { at: number }>): void {
  const member = members[one.at]
  if (!member) throw new Error('no such instance')
  if (one.kind === 'batch') member.way.batches.push(one.fault)
  else if (one.kind === 'away' || one.kind === 'back') member.way.isAway = one.kind === 'away'
  else {
    member.way.isDead = one.kind === 'kill'
    member.feed.close()
    members[one.at] = cluster.start()
  }
}

/** Everything works again, and the venue goes on publishing. */
async function heal(cluster: Cluster, members: readonly Member[]): Promise<void> {
  for (const member of members) {
    member.way.isAway = false
    member.way.batches.length = 0
  }
  for (let endMs = HEALED_MS; endMs > 0; endMs -= 500) {
    for (const topic of TOPICS) cluster.publish(topic)
    await cluster.pass(500)
  }
}

describe('the live wire that one instance has for all', () => {
  // Slow: fifty runs of half a minute each, in steps of 25 ms.
  test('lets no subscriber miss a message without a snapshot, whatever is lost, doubled, late, restarted or led anew', async () => {
    const run = async (steps: readonly Step[]) => {
      const cluster = openCluster()
      const members = Array.from({ length: INSTANCES }, cluster.start)
      for (const one of steps) await take(cluster, members, one)
      await heal(cluster, members)
      const counts = members.map(({ counters }) => counters.map(({ count }) => count()))
      for (const { feed } of members) feed.close()
      expect(cluster.problems).toEqual([])
      expect(counts).toEqual(members.map(() => TOPICS.map(cluster.countOf)))
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run), { numRuns: 50 })
  })

  test('is one subscription a topic at the venue when all has healed, and none when all have ended', async () => {
    const cluster = openCluster()
    const members = Array.from({ length: INSTANCES }, cluster.start)
    await heal(cluster, members)
    expect(members.map(({ feed }) => feed.role()).sort()).toEqual(['follows', 'follows', 'leads'])
    expect(TOPICS.map(cluster.held)).toEqual([1, 1])
    for (const { feed } of members) feed.close()
    expect(TOPICS.map(cluster.held)).toEqual([0, 0])
  })

  test('gives a snapshot to whoever misses one batch, and to nobody else', async () => {
    const cluster = openCluster()
    const members = Array.from({ length: INSTANCES }, cluster.start)
    await heal(cluster, members)
    const follower = members.find(({ feed }) => feed.role() === 'follows')
    const resets = () => members.map(({ counters }) => counters[0]?.resets() ?? 0)
    const before = resets()
    follower?.way.batches.push('lost')
    cluster.publish(TOPIC)
    await cluster.pass(1500)
    expect(resets()).toEqual(before.map((one, at) => one + Number(members[at] === follower)))
    for (const { feed } of members) feed.close()
  })

  test('leaves a gap where a leader was away for a moment and leads on in the same term', async () => {
    const cluster = openCluster()
    const members = Array.from({ length: INSTANCES }, cluster.start)
    await cluster.pass(1500)
    const leader = members.find(({ feed }) => feed.role() === 'leads')
    if (!leader) throw new Error('nobody leads')
    leader.way.isAway = true
    await cluster.pass(1000)
    cluster.publish(TOPIC)
    leader.way.isAway = false
    await cluster.pass(2000)
    cluster.publish(TOPIC)
    await cluster.pass(50)
    expect(leader.feed.role()).toBe('leads')
    expect(members.map(({ counters }) => counters[0]?.count())).toEqual([2, 2, 2])
    expect(cluster.problems).toEqual([])
    for (const { feed } of members) feed.close()
  })

  test('is had by each instance for itself while Valkey is away, and by one again when it is back', async () => {
    const cluster = openCluster()
    const members = Array.from({ length: INSTANCES }, cluster.start)
    await heal(cluster, members)
    for (const member of members) member.way.isAway = true
    await cluster.pass(5000)
    expect(members.map(({ feed }) => feed.role())).toEqual(['alone', 'alone', 'alone'])
    expect(TOPICS.map(cluster.held)).toEqual([INSTANCES, INSTANCES])
    cluster.publish(TOPIC)
    await cluster.pass(25)
    for (const { counters } of members) expect(counters[0]?.count()).toBe(cluster.countOf(TOPIC))
    await heal(cluster, members)
    expect(TOPICS.map(cluster.held)).toEqual([1, 1])
    expect(cluster.problems).toEqual([])
    for (const { feed } of members) feed.close()
  })
})
