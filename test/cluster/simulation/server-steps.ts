import { newData } from './postgres-data.ts'
import { emptied, failover, goOnAt } from './rows.ts'
import type { Cluster } from './schedule.ts'
import type { Step } from './simulate.ts'

export const copied = (atMs: number): Step => ({
  atMs,
  what: 'a copy is made',
  run: ({ snapshot }) => snapshot(),
})
export const putBack = (atMs: number): Step => ({
  atMs,
  what: 'the last copy is put back',
  run: (cluster) => cluster.putBack(),
})

/** The first instance ends, so that it makes none of its claims again. */
export const ended = (atMs: number): Step => ({
  atMs,
  what: 'the first instance ends',
  run: ({ kill }) => kill(0, true),
})
/** Lets an instance reach one server alone. */
export function confine({ members }: Cluster, at: number, to: number): void {
  const member = members[at]
  for (const [index, way] of (member?.ways ?? []).entries()) way.isCut = index !== to
  if (member) member.named = to
}

function promoteBoth(cluster: Cluster): void {
  const [primary] = cluster.servers
  cluster.unlink()
  if (primary) primary.isUp = false
  cluster.promote(1)
  cluster.promote(2)
}

/** Both standbys are promoted; the first instance writes to one, sleeps while the second instance writes to the other, and wakes. */
export const sleptBesideTwin: readonly Step[] = [
  {
    atMs: 10_000,
    what: 'the primary dies, and both standbys are promoted; each instance reaches one',
    run: (cluster) => {
      promoteBoth(cluster)
      confine(cluster, 0, 1)
      confine(cluster, 1, 2)
    },
  },
  {
    atMs: 16_000,
    what: 'the first instance stands still',
    run: ({ members: [sleeper] }) => {
      if (sleeper) sleeper.frozenUntilMs = 33_500
    },
  },
  { atMs: 28_000, what: 'the second instance ends', run: ({ kill }) => kill(1, true) },
]

/** All is stopped and forgotten, and the database is a new one. */
export const newDatabase: Step = {
  atMs: 16_000,
  what: 'all is stopped and Valkey empty, and the database is new',
  run: async (cluster) => {
    const [server] = cluster.servers
    for (const at of cluster.members.keys()) cluster.kill(at, false)
    if (server) Object.assign(server, { data: newData(), log: [], run: server.run + 1 })
    cluster.emptyValkey(true)
    await cluster.time.delay(200)
    for (const at of cluster.members.keys()) cluster.start(at)
  },
}

/** A standby without a claim is promoted, when nothing knows what its primary had. */
export const promotedEmpty: readonly Step[] = [
  {
    atMs: 4500,
    what: 'the standby gets nothing more',
    run: ({ unlink }) => unlink(),
  },
  {
    atMs: 12_000,
    what: 'all is stopped and forgotten, the primary dies, and the standby is promoted',
    run: (cluster) => {
      const [primary] = cluster.servers
      for (const at of cluster.members.keys()) cluster.kill(at, false)
      cluster.emptyValkey(true)
      if (primary) primary.isUp = false
      cluster.promote(1)
      for (const at of cluster.members.keys()) cluster.start(at)
    },
  },
]

/** The first instance wakes at a server that was left, when no instance writes to its successor. */
export const leftBehind: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the first instance stands still, and the second one goes to the promoted standby',
    run: (cluster) => goOnAt(cluster, 24_000),
  },
  {
    atMs: 17_500,
    what: 'the second instance and the promoted server are gone',
    run: ({ kill, servers }) => {
      const [, promoted] = servers
      kill(1, true)
      if (promoted) promoted.isUp = false
    },
  },
]

/** Both instances were at the promoted standby; it dies, the first server is there again, and Valkey is emptied. */
export const goneBack: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'both instances go to the promoted standby',
    run: (cluster) => {
      cluster.unlink()
      cluster.promote(1)
      for (const at of cluster.members.keys()) confine(cluster, at, 1)
    },
  },
  {
    atMs: 20_000,
    what: 'it dies, both reach the first server again, and Valkey is emptied',
    run: (cluster) => {
      const [, promoted] = cluster.servers
      if (promoted) promoted.isUp = false
      for (const at of cluster.members.keys()) confine(cluster, at, 0)
      cluster.emptyValkey(false)
    },
  },
]

/** An instance is refused at a server that was left, and Valkey forgets it. */
export const leftAndForgotten: readonly Step[] = [...leftBehind, emptied(27_000)]

/** Answers of the first instance's server are late: they come when it writes to the promoted standby. */
export const slowlyLost: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the server answers what the first instance asks now up to 8 s later',
    run: async ({ members: [member], time }) => {
      const [way] = member?.ways ?? []
      if (way) way.slowMs = 8000
      await time.delay(150)
      if (way) way.slowMs = 0
    },
  },
  {
    atMs: 12_300,
    what: 'the standby is promoted for the second instance',
    run: (cluster) => {
      const way = cluster.members[1]?.ways[0]
      cluster.unlink()
      cluster.promote(1)
      if (way) way.isCut = true
    },
  },
]

/** The operator has commits wait for a standby that lags; before one of them ends, the primary dies, and the standby is promoted. */
export const waitedForTooLate: readonly Step[] = [
  {
    atMs: 11_450,
    what: 'the standby gets nothing more, one instance loses Valkey, and the other one stands still',
    run: ({ unlink, members: [writer, sleeper] }) => {
      unlink()
      if (writer) writer.toValkey.isCut = true
      if (sleeper) sleeper.frozenUntilMs = 13_100
    },
  },
  {
    atMs: 13_050,
    what: 'commits wait for the standby from now on, and the first instance ends',
    run: ({ servers: [primary], kill }) => {
      if (primary) primary.isSynchronous = true
      kill(0, true)
    },
  },
  ...failover(15_000, 0),
]

/** Both standbys are promoted. The second instance reaches its server when the first one writes to the other. */
export const twinFirst: readonly Step[] = [
  {
    atMs: 10_000,
    what: 'the primary dies, and both standbys are promoted; the first instance reaches one',
    run: (cluster) => {
      promoteBoth(cluster)
      confine(cluster, 0, 1)
      confine(cluster, 1, 0)
    },
  },
  {
    atMs: 16_000,
    what: 'the second instance reaches the other one',
    run: (cluster) => confine(cluster, 1, 2),
  },
]

/** A server without a standby is restored twice to the same timeline; the second time Valkey is away, and one instance goes there. */
export const restoredTwins: readonly Step[] = [
  {
    atMs: 500,
    what: 'all is stopped and Valkey empty, and the database is new and without a standby',
    run: (cluster) => {
      const [server, twin] = cluster.servers
      for (const at of cluster.members.keys()) cluster.kill(at, false)
      cluster.emptyValkey(true)
      const anew = { data: newData(), log: [], hasStandby: false, follows: null }
      if (server) Object.assign(server, anew)
      if (twin) Object.assign(twin, { isUp: false, follows: null, hasStandby: false })
      for (const at of cluster.members.keys()) {
        confine(cluster, at, 0)
        cluster.start(at)
      }
    },
  },
  copied(4500),
  {
    atMs: 9000,
    what: 'it is restored to a new timeline',
    run: (cluster) => {
      const [server] = cluster.servers
      cluster.putBack()
      if (server) server.timeline = 2
    },
  },
  {
    atMs: 14_000,
    what: 'Valkey is away, and another server is restored for the second instance',
    run: (cluster) => {
      const [server, twin] = cluster.servers
      for (const valkey of cluster.valkeys) valkey.isUp = false
      const [copy] = cluster.copies()
      if (server && twin && copy)
        Object.assign(twin, { data: copy, isUp: true, timeline: 2, run: server.run + 1 })
      confine(cluster, 1, 1)
    },
  },
]

/** No instance makes claims again that the copy lacks. */
export const restartedAtCopy: Step = {
  atMs: 12_000,
  what: 'all is stopped, the last copy is put back, and all starts anew',
  run: async (cluster) => {
    for (const at of cluster.members.keys()) cluster.kill(at, true)
    cluster.putBack()
    await cluster.time.delay(100)
    for (const at of cluster.members.keys()) cluster.start(at)
  },
}
