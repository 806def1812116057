import type { Cluster } from './schedule.ts'

type Fault = { readonly what: string; readonly run: (cluster: Cluster) => unknown }

export type Kind = (random: () => number) => Fault

const times = (random: () => number, maxMs: number) => 200 + Math.floor(random() * maxMs)
const index = (random: () => number, count: number) => Math.floor(random() * count)

export function cutServer(random: () => number): Fault {
  const [at, to, ms] = [index(random, 3), index(random, 3), times(random, 15_000)]
  return {
    what: `instance ${at} loses server ${to} for ${ms} ms`,
    run: async ({ members, time }) => {
      const way = members[at]?.ways[to]
      if (!way) return
      way.isCut = true
      await time.delay(ms)
      way.isCut = false
    },
  }
}

export function cutValkey(random: () => number): Fault {
  const [at, ms] = [index(random, 3), times(random, 15_000)]
  return {
    what: `instance ${at} loses Valkey for ${ms} ms`,
    run: async ({ members, time }) => {
      const way = members[at]?.toValkey
      if (!way) return
      way.isCut = true
      await time.delay(ms)
      way.isCut = false
    },
  }
}

/** Of what an instance changes at a server, or at Valkey, answers are lost. */
export function loseAnswers(random: () => number): Fault {
  const [at, to, ms] = [index(random, 3), index(random, 4), times(random, 8000)]
  const place = to === 3 ? 'Valkey' : `server ${to}`
  return {
    what: `instance ${at} gets half of the answers to its changes at ${place} for ${ms} ms`,
    run: async ({ members, time }) => {
      const member = members[at]
      const way = to === 3 ? member?.toValkey : member?.ways[to]
      if (!way) return
      way.lostShare = 0.5
      await time.delay(ms)
      way.lostShare = 0
    },
  }
}

/** An instance and the primary on one side; the others, the standbys and Valkey on the other. */
export function partition(random: () => number): Fault {
  const [ms, isPromoted] = [times(random, 25_000), random() < 0.8]
  return {
    what: `partition for ${ms} ms${isPromoted ? ', the standby is promoted' : ''}`,
    run: async (cluster) => {
      const { members, time } = cluster
      const ways = members.flatMap((member, at) =>
        at === 0 ? [member.toValkey, ...member.ways.slice(1)] : member.ways.slice(0, 1),
      )
      for (const way of ways) way.isCut = true
      cluster.unlink()
      for (const [at, member] of members.entries()) if (at > 0 && isPromoted) member.named = 1
      if (isPromoted) cluster.promote(1)
      await time.delay(ms)
      for (const way of ways) way.isCut = false
    },
  }
}

export function promoteStandby(random: () => number): Fault {
  const [at, isKilled] = [1 + index(random, 2), random() < 0.5]
  return {
    what: `standby ${at} is promoted${isKilled ? ', the primary dead' : ''}`,
    run: (cluster) => {
      const [first] = cluster.servers
      if (!cluster.servers[at]) return
      if (first && isKilled) first.isUp = false
      cluster.promote(at)
      for (const member of cluster.members) if (isKilled) member.named = at
    },
  }
}

export function moveName(random: () => number): Fault {
  const [at, to] = [index(random, 3), index(random, 3)]
  return {
    what: `the name of instance ${at} leads to server ${to}`,
    run: ({ members, servers }) => {
      const member = members[at]
      if (member && servers[to] && !servers[to].follows) member.named = to
    },
  }
}

export function lateReplication(random: () => number): Fault {
  const ms = times(random, 4000)
  return {
    what: `the standbys are ${ms} ms late`,
    run: ({ servers }) => {
      for (const server of servers) server.lagMs = ms
    },
  }
}

export function stopReplication(): Fault {
  return {
    what: 'the standbys get nothing more',
    run: ({ unlink }) => unlink(),
  }
}

export function killPrimary(random: () => number): Fault {
  const ms = times(random, 10_000)
  return {
    what: `the primary is gone for ${ms} ms`,
    run: async ({ servers, time }) => {
      const [first] = servers
      if (!first) return
      first.isUp = false
      await time.delay(ms)
      first.run += 1
      first.isUp = true
    },
  }
}

export function restartPrimary(): Fault {
  return {
    what: 'the primary starts anew',
    run: ({ servers }) => {
      const [first] = servers
      if (first) first.run += 1
    },
  }
}

export function putBack(random: () => number): Fault {
  const ms = times(random, 10_000)
  return {
    what: `the primary is copied, and put back after ${ms} ms`,
    run: async (cluster) => {
      cluster.snapshot()
      await cluster.time.delay(ms)
      cluster.putBack()
    },
  }
}

export function emptyValkey(random: () => number): Fault {
  const isRestarted = random() < 0.5
  return {
    what: `Valkey ${isRestarted ? 'starts anew' : 'is emptied'}`,
    run: (cluster) => cluster.emptyValkey(isRestarted),
  }
}

export function silenceValkey(random: () => number): Fault {
  const ms = times(random, 10_000)
  return {
    what: `Valkey is away for ${ms} ms`,
    run: async ({ valkeys, time }) => {
      const [first] = valkeys
      if (!first) return
      first.isUp = false
      await time.delay(ms)
      first.isUp = true
    },
  }
}

/** As it restarts from its disk, or as a replica that lags is promoted. */
export function returnValkey(random: () => number): Fault {
  const ms = times(random, 6000)
  return {
    what: `Valkey is saved, and starts anew with that after ${ms} ms`,
    run: async (cluster) => {
      cluster.saveValkey()
      await cluster.time.delay(ms)
      cluster.restoreValkey()
    },
  }
}

export function stepClock(random: () => number): Fault {
  const ms = Math.floor((random() - 0.5) * 8000)
  return {
    what: `the clock of Valkey steps by ${ms} ms`,
    run: ({ valkeys }) => {
      for (const valkey of valkeys) valkey.offsetMs += ms
    },
  }
}

/** The standby that every commit waits for is cut off; the setting that makes the primary wait is reset, and the standby is promoted. */
export function stopWaiting(random: () => number): Fault {
  const [cutMs, promotedMs] = [times(random, 2000), times(random, 600)]
  return {
    what: `the primary loses its standby, waits for it no more after ${cutMs} ms, and ${promotedMs} ms later it is promoted`,
    run: async (cluster) => {
      const { servers, time } = cluster
      const [first] = servers
      if (!first?.isSynchronous) return
      cluster.unlink()
      await time.delay(cutMs)
      first.isSynchronous = false
      await time.delay(promotedMs)
      cluster.promote(1)
    },
  }
}

export function otherValkey(random: () => number): Fault {
  const at = index(random, 3)
  return {
    what: `instance ${at} starts anew at another Valkey`,
    run: async (cluster) => {
      const member = cluster.members[at]
      // Without leases two Valkeys cannot be noticed.
      if (!member || !cluster.needsLeases) return
      cluster.kill(at, true)
      member.valkey = 1
      await cluster.time.delay(500)
      cluster.start(at)
    },
  }
}

export function killInstance(random: () => number): Fault {
  const [at, ms, keepsData] = [index(random, 3), times(random, 8000), random() < 0.7]
  return {
    what: `instance ${at} is gone for ${ms} ms${keepsData ? '' : ', its data directory too'}`,
    run: async (cluster) => {
      cluster.kill(at, keepsData)
      await cluster.time.delay(ms)
      cluster.start(at)
    },
  }
}

export function freezeInstance(random: () => number): Fault {
  const [at, ms] = [index(random, 3), times(random, 12_000)]
  return {
    what: `instance ${at} stands still for ${ms} ms`,
    run: ({ members, time }) => {
      const member = members[at]
      if (member) member.frozenUntilMs = time.nowMs() + ms
    },
  }
}
