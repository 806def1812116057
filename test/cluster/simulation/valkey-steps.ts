import { newData } from './postgres-data.ts'
import { goOnAt, split } from './rows.ts'
import { confine } from './server-steps.ts'
import type { Step } from './simulate.ts'
import { restore } from './valkey-model.ts'

export const valkeyAway = (atMs: number, forMs: number): Step => ({
  atMs,
  what: `Valkey is away for ${forMs} ms`,
  run: async ({ valkeys, time }) => {
    const [first] = valkeys
    if (first) first.isUp = false
    await time.delay(forMs)
    if (first) first.isUp = true
  },
})

/** From the beginning. */
export const clockAhead: Step = {
  atMs: 0,
  what: 'the clock of Valkey is 5 s ahead',
  run: ({ valkeys }) => {
    for (const valkey of valkeys) valkey.offsetMs = 5000
  },
}

/** The first instance forgets all, and is quicker at the restarted server than the second one, which knows it. */
export const knowsItSecond: Step = {
  atMs: 12_000,
  what: 'the primary starts anew with Valkey empty; an instance without data finds it first',
  run: async (cluster) => {
    const [server] = cluster.servers
    const way = cluster.members[1]?.ways[0]
    cluster.kill(0, false)
    cluster.emptyValkey(true)
    if (server) server.run += 1
    if (way) way.isCut = true
    cluster.start(0)
    await cluster.time.delay(1500)
    if (way) way.isCut = false
  },
}

/** The operator fences: instances go on without Valkey until their primary dies, and Valkey is back as the standby is promoted. */
export const fencedByOperator: readonly Step[] = [
  {
    atMs: 11_000,
    what: 'Valkey and the second instance are away, and the standby gets nothing more',
    run: ({ valkeys: [valkey], unlink, kill }) => {
      unlink()
      kill(1, true)
      if (valkey) valkey.isUp = false
    },
  },
  {
    atMs: 17_000,
    what: 'the primary dies, the standby is promoted, and Valkey is back',
    run: (cluster) => {
      const [valkey] = cluster.valkeys
      const [primary] = cluster.servers
      if (primary) primary.isUp = false
      cluster.kill(0, true)
      cluster.promote(1)
      cluster.start(1)
      if (valkey) valkey.isUp = true
    },
  },
]

/** The first instance sleeps for minutes, and the second one is gone when it wakes at an empty Valkey. */
export const sleptForMinutes: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the first instance stands still, and the second one goes to the promoted standby',
    run: (cluster) => {
      goOnAt(cluster, 199_500)
      confine(cluster, 0, 0)
    },
  },
  {
    atMs: 199_000,
    what: 'the second instance ends, and Valkey is emptied',
    run: (cluster) => {
      cluster.kill(1, true)
      cluster.emptyValkey(false)
    },
  },
]

/** A replica of Valkey is promoted for the first instance, while the second one reaches the primary that was replaced. */
export const twoValkeys: Step = {
  atMs: 12_000,
  what: 'the first instance goes on at a replica of Valkey that was promoted',
  run: ({ valkeys: [first, replica], members: [mover], saveValkey }) => {
    saveValkey()
    if (first && replica) replica.saved = first.saved
    if (replica) restore(replica)
    if (mover) mover.valkey = 1
  },
}

/** The clock of Valkey steps back after a lease was given; the instance that holds the lease is cut off. */
export const steppedBack: readonly Step[] = [
  {
    atMs: 12_000,
    what: 'the first instance loses Valkey, whose clock steps back by 4 s',
    run: ({ valkeys: [valkey], members: [member] }) => {
      if (member) member.toValkey.isCut = true
      if (valkey) valkey.offsetMs -= 4000
    },
  },
  {
    atMs: 13_300,
    what: 'the standby is promoted for the second instance',
    run: (cluster) => goOnAt(cluster, 0),
  },
]

/** The first instance stands still after it has read the witness in the database, until the second one writes elsewhere. */
export const stoodStillInALook: readonly Step[] = [
  {
    atMs: 7000,
    what: 'the second instance starts anew at another Valkey; the first one stands still in a look',
    run: async ({ members, kill, start, time }) => {
      const [sleeper, other] = members
      const [way] = sleeper?.ways ?? []
      kill(1, true)
      if (other) other.valkey = 1
      start(1)
      while (way && !way.executed.startsWith('SELECT witness')) await time.delay(1)
      if (sleeper) sleeper.frozenUntilMs = 206_000
    },
  },
  split(200_000),
]

/** Valkey starts anew with what it had before the leases of the primary, and the standby is promoted while a lease holds. */
export const oldValkey: readonly Step[] = [
  { atMs: 9000, what: 'Valkey is saved', run: ({ saveValkey }) => saveValkey() },
  {
    atMs: 14_000,
    what: 'the first instance loses Valkey, which starts anew with that; the standby is promoted',
    run: (cluster) => {
      const [member] = cluster.members
      if (member) member.toValkey.isCut = true
      cluster.restoreValkey()
      goOnAt(cluster, 0)
    },
  },
]

/** The second Valkey has been used before; an instance that is one of its members holds a lease of the first one, whose clock is ahead. */
export const usedValkey: readonly Step[] = [
  {
    atMs: 0,
    what: 'the clock of the first Valkey is 60 s ahead',
    run: ({ valkeys: [valkey] }) => {
      if (valkey) valkey.offsetMs = 60_000
    },
  },
  {
    atMs: 500,
    what: 'both instances start anew at the second Valkey, and later at the first one',
    run: async (cluster) => {
      for (const to of [1, 0]) {
        for (const [at, member] of cluster.members.entries()) {
          cluster.kill(at, true)
          member.valkey = to
          cluster.start(at)
        }
        await cluster.time.delay(4500)
      }
      cluster.note(
        'the second instance starts anew at the second Valkey, and the standby is promoted',
      )
      const [, mover] = cluster.members
      cluster.kill(1, true)
      if (mover) mover.valkey = 1
      cluster.start(1)
      await cluster.time.delay(400)
      goOnAt(cluster, 0)
    },
  },
]

/** Two instances with Valkeys of their own start at once before a new database; the clock of one Valkey is a minute ahead. */
export const twoAtOnce: readonly Step[] = [
  {
    atMs: 4000,
    what: 'each instance starts anew at a Valkey of its own, before a new database',
    run: async (cluster) => {
      const [server, standby] = cluster.servers
      const [, other] = cluster.members
      for (const at of cluster.members.keys()) cluster.kill(at, false)
      cluster.emptyValkey(true)
      for (const each of [server, standby])
        if (each) Object.assign(each, { data: newData(), log: [], applied: 0 })
      const ahead = cluster.valkeys[cluster.random() < 0.5 ? 0 : 1]
      if (ahead) ahead.offsetMs = 60_000
      if (other) other.valkey = 1
      for (const at of cluster.members.keys()) cluster.start(at)
      while (standby?.follows && standby.data.row['witness'] === '') {
        cluster.replicate()
        await cluster.time.delay(5)
      }
      await cluster.time.delay(10)
      cluster.note('the standby is promoted for the second instance')
      goOnAt(cluster, 0)
    },
  },
]

/** The second instance has a Valkey of its own, whose clock is a minute behind that of the first one; it goes to the promoted standby. */
export const ownValkeys: readonly Step[] = [
  {
    atMs: 7000,
    what: 'the second instance starts anew at another Valkey; the clock of the first one is 60 s ahead',
    run: ({ valkeys: [valkey], members: [, mover], kill, start }) => {
      if (valkey) valkey.offsetMs = 60_000
      kill(1, true)
      if (mover) mover.valkey = 1
      start(1)
    },
  },
  {
    atMs: 14_000,
    what: 'the standby is promoted for the second instance',
    run: (cluster) => goOnAt(cluster, 0),
  },
]
