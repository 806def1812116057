import type { Cluster } from './schedule.ts'
import type { Plan, Step } from './simulate.ts'

export const ASYNCHRONOUS: Plan['setup'] = {
  ...{ instances: 2, standbys: 1, hosts: 'all', isSynchronous: false, clockAheadMs: 0 },
  fencing: 'prepd',
}

type Row = Pick<Plan, 'steps'> & Partial<Omit<Plan, 'steps'>>

/** A schedule with the clocks of callers exact, and one standby behind the primary, unless a row says otherwise. */
export function planFrom(row: Row): Plan {
  return {
    setup: ASYNCHRONOUS,
    ...{ aheadMs: () => 0, everyMs: 100, callingMs: 30_000, ...row },
  }
}

/** The first instance and the primary on one side; the others, the standby and Valkey on the other. */
export const parted = (atMs: number): Step => ({
  atMs,
  what: 'partition, and the standby is promoted',
  run: (cluster) => {
    const { members, servers } = cluster
    cluster.unlink()
    for (const [at, member] of members.entries()) {
      const [toPrimary, ...toStandbys] = member.ways
      const cut = at === 0 ? [member.toValkey, ...toStandbys] : [toPrimary]
      for (const way of cut) if (way) way.isCut = true
      if (at > 0) member.named = servers.length - 1
    }
    cluster.promote(1)
  },
})

/** The same, but the first instance reaches Valkey. */
export const split = (atMs: number): Step => ({
  atMs,
  what: 'the standby is promoted while the first instance reaches the primary alone',
  run: (cluster) => {
    parted(atMs).run(cluster)
    for (const member of cluster.members) member.toValkey.isCut = false
  },
})

export const emptied = (atMs: number): Step => ({
  atMs,
  what: 'Valkey is emptied',
  run: (cluster) => cluster.emptyValkey(false),
})

/** The standby gets nothing more, the primary dies, and the standby is promoted. */
export const failover = (atMs: number, behindMs: number): readonly Step[] => [
  { atMs: atMs - behindMs, what: 'the standby gets nothing more', run: ({ unlink }) => unlink() },
  {
    atMs,
    what: 'the primary dies, and the standby is promoted',
    run: (cluster) => {
      const [first] = cluster.servers
      if (first) first.isUp = false
      cluster.promote(1)
      for (const member of cluster.members) member.named = 1
    },
  },
]

const ONE = { ...ASYNCHRONOUS, hosts: 'one' } as const
export const TWINS = { ...ASYNCHRONOUS, standbys: 2 } as const
export const SYNCHRONOUS = { ...ASYNCHRONOUS, isSynchronous: true } as const
export const NO_STANDBY = { ...ASYNCHRONOUS, standbys: 0 } as const
export const ahead = (ms: number) => ({ aheadMs: () => ms })

/** Both instances are stopped, and the database is put back to a copy of eight seconds before. */
const putBackWhileStopped: readonly Step[] = [
  { atMs: 8000, what: 'a copy is made', run: ({ snapshot }) => snapshot() },
  {
    atMs: 16_000,
    what: 'all is stopped and Valkey empty, and the copy is put back',
    run: async (cluster) => {
      for (const at of cluster.members.keys()) cluster.kill(at, false)
      cluster.putBack()
      cluster.emptyValkey(true)
      await cluster.time.delay(1000)
      for (const at of cluster.members.keys()) cluster.start(at)
    },
  },
]

const twins: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'both standbys are promoted, and each instance reaches one',
    run: (cluster) => {
      cluster.unlink()
      for (const [at, { ways }] of cluster.members.entries())
        for (const [to, way] of ways.entries()) way.isCut = to !== at + 1
      cluster.promote(1)
      cluster.promote(2)
    },
  },
]

const otherValkey: Step = {
  atMs: 7000,
  what: 'the first instance starts anew at another Valkey',
  run: async (cluster) => {
    const [member] = cluster.members
    cluster.kill(0, true)
    if (member) member.valkey = 1
    await cluster.time.delay(200)
    cluster.start(0)
  },
}

const valkeyAway: Step = {
  atMs: 7000,
  what: 'Valkey is away for 2 s',
  run: async ({ valkeys, time }) => {
    const [first] = valkeys
    if (first) first.isUp = false
    await time.delay(2000)
    if (first) first.isUp = true
  },
}

/** A copy holds a claim that was not sent and given back afterwards; the same text is sent later, and the copy is put back. */
const putBackWithGivenBack: readonly Step[] = [
  {
    atMs: 13_000,
    what: 'Valkey is away for 4 s',
    run: async ({ valkeys, time }) => {
      const [first] = valkeys
      if (first) first.isUp = false
      await time.delay(4000)
      if (first) first.isUp = true
    },
  },
  { atMs: 16_500, what: 'a copy is made', run: ({ snapshot }) => snapshot() },
  { atMs: 20_000, what: 'the copy is put back', run: ({ putBack }) => putBack() },
]

/** The primary stops waiting for a standby that it has lost, and what it held back is answered; the standby is promoted at once. */
const waitedForNoMore: readonly Step[] = [
  { ...parted(12_000), run: (cluster) => cluster.unlink() },
  {
    atMs: 12_700,
    what: 'the primary waits no more, and the standby is promoted beside it',
    run: (cluster) => {
      const [first] = cluster.servers
      if (first) first.isSynchronous = false
      parted(12_700).run(cluster)
    },
  },
]

/**
 * The first instance has registered with the emptied Valkey, whose clock steps, without an answer, and goes on under its lease of
 * before.
 */
export const leasedBefore = (stepMs: number): readonly Step[] => [
  {
    atMs: 8900,
    what: 'Valkey is emptied, and the first instance gets no answer to its changes there',
    run: async (cluster) => {
      const [member, mover] = cluster.members
      const [server] = cluster.servers
      if (member) member.toValkey.lostShare = 1
      cluster.emptyValkey(false)
      for (const valkey of cluster.valkeys) valkey.offsetMs += stepMs
      // The second instance leaves as soon as the database names the new witness.
      const { witness } = server?.data.row ?? {}
      for (let waits = 0; waits < 120 && server?.data.row['witness'] === witness; waits += 1)
        await cluster.time.delay(10)
      cluster.note('the standby is promoted; the second instance starts anew, and reaches it alone')
      await cluster.time.delay(20)
      if (member) member.toValkey.isCut = true
      cluster.kill(1, true)
      cluster.unlink()
      cluster.promote(1)
      if (mover?.ways[0]) mover.ways[0].isCut = true
      cluster.start(1)
    },
  },
]

/** The second instance has another Valkey, and the first one stands still until it counts as gone. */
const stoodStillForMinutes: readonly Step[] = [
  {
    atMs: 7000,
    what: 'the second instance starts anew at another Valkey, and the first one stands still',
    run: (cluster) => {
      const [sleeper, other] = cluster.members
      cluster.kill(1, true)
      if (other) other.valkey = 1
      cluster.start(1)
      if (sleeper) sleeper.frozenUntilMs = 197_000
    },
  },
  split(203_000),
]

/** The standby is promoted for the second instance, while the first one stands still until a moment. */
export function goOnAt(cluster: Cluster, wakesMs: number): void {
  const [sleeper, mover] = cluster.members
  cluster.unlink()
  cluster.promote(1)
  if (sleeper) sleeper.frozenUntilMs = wakesMs
  if (mover?.ways[0]) mover.ways[0].isCut = true
}

/** The second instance writes to the promoted standby and ends; the first one has slept meanwhile, and wakes at an empty Valkey. */
const sleptThrough: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the first instance stands still, and the second one goes to the promoted standby',
    run: (cluster) => goOnAt(cluster, 19_500),
  },
  {
    atMs: 18_500,
    what: 'the second instance ends, and Valkey is emptied',
    run: (cluster) => {
      cluster.kill(1, true)
      cluster.emptyValkey(false)
    },
  },
]

/** The first instance stands still with claims that it has not sent; the second one takes the same texts at the promoted standby. */
const stoodStill: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the first instance stands still, and the second one goes to the promoted standby',
    run: (cluster) => goOnAt(cluster, 19_000),
  },
]

/** A copy lacks only claims that the second instance made without Valkey, and the first instance is admitted before it. */
const putBackWithoutLeased: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the second instance loses Valkey, and the first one ends',
    run: ({ members, kill }) => {
      const [, leased] = members
      if (leased) leased.toValkey.isCut = true
      kill(0, true)
    },
  },
  { atMs: 12_500, what: 'a copy is made', run: ({ snapshot }) => snapshot() },
  {
    atMs: 14_000,
    what: 'the copy is put back, and the first instance starts anew',
    run: ({ putBack, start }) => {
      putBack()
      start(0)
    },
  },
]

/** Faults that were found from outside, each as a schedule. */
export const ROWS: Readonly<Record<string, Plan>> = {
  'a rollback with everything stopped': planFrom({ setup: NO_STANDBY, steps: putBackWhileStopped }),
  'a copy with claims that were given back, callers 120 s ahead': planFrom({
    steps: putBackWithGivenBack,
    ...ahead(120_000),
  }),
  'a copy that lacks only claims made without Valkey': planFrom({ steps: putBackWithoutLeased }),
  'a copy that is put back, half of the callers 120 s ahead': planFrom({
    steps: [
      { atMs: 12_000, what: 'a copy is made', run: ({ snapshot }) => snapshot() },
      {
        atMs: 16_000,
        what: 'an instance ends, the copy is put back, and the instance starts anew',
        run: async (cluster) => {
          cluster.kill(1, false)
          cluster.putBack()
          await cluster.time.delay(1000)
          cluster.start(1)
        },
      },
    ],
    aheadMs: (random) => (random() < 0.5 ? 0 : 120_000),
  }),
  'a standby that is waited for no more, and promoted': planFrom({
    setup: SYNCHRONOUS,
    steps: waitedForNoMore,
  }),
  'an emptied Valkey, with a lease of before': planFrom({
    ...{ steps: leasedBefore(0), everyMs: 40, callingMs: 14_000 },
  }),
  'an instance that slept through a promotion': planFrom({ steps: sleptThrough }),
  'claims that are sent late, by a clock 20 s ahead': planFrom({
    setup: { ...ASYNCHRONOUS, clockAheadMs: 20_000 },
    ...{ steps: stoodStill, everyMs: 25, callingMs: 13_000, ...ahead(10_000) },
  }),
  'another Valkey, while its peer stood still for minutes': planFrom({
    ...{ steps: stoodStillForMinutes, everyMs: 500, callingMs: 215_000, ...ahead(290_000) },
  }),
  'another Valkey, whose instance stops no other': planFrom({
    steps: [otherValkey],
    undisturbed: { member: 1, fromMs: 8000, untilMs: 30_000 },
  }),
  'two histories with one number': planFrom({ setup: TWINS, steps: twins }),
  'a partition': planFrom({ steps: [parted(12_000)] }),
  'a partition, callers 1 s ahead': planFrom({ steps: [parted(12_000)], ...ahead(1000) }),
  'a partition, callers 3 s ahead': planFrom({ steps: [parted(12_000)], ...ahead(3000) }),
  'a partition, callers 120 s ahead': planFrom({ steps: [parted(12_000)], ...ahead(120_000) }),
  'a split behind one name': planFrom({ setup: ONE, steps: [split(12_000)] }),
  'a partition behind one name': planFrom({ setup: ONE, steps: [parted(12_000)] }),
  'Valkey emptied in a split': planFrom({
    steps: [split(9000), ...[14, 17, 20, 24].map((at) => emptied(at * 1000))],
  }),
  'two Valkeys, and a split': planFrom({ steps: [otherValkey, parted(14_000)] }),
  'a failover with Valkey emptied, callers 60 s ahead': planFrom({
    steps: [...failover(14_000, 2000), emptied(14_000)],
    ...ahead(60_000),
  }),
}

/** An ordinary failover with a standby two seconds behind, and with one that each commit waits for. */
export const FAILOVERS = {
  behind: planFrom({ steps: failover(12_000, 2000) }),
  synchronous: planFrom({
    setup: SYNCHRONOUS,
    steps: failover(12_000, 0),
  }),
  /** Callers a minute ahead are not published while Valkey is away. */
  synchronousAhead: planFrom({
    setup: SYNCHRONOUS,
    steps: [valkeyAway, ...failover(12_000, 0)],
    aheadMs: (random) => (random() < 0.2 ? 60_000 : 0),
  }),
} as const
