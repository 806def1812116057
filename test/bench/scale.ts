/** bun test/bench/scale.ts: what one instance on one core answers a second, alone and with the engines, and what two do. As root. */
import { median, ROUNDS, throughputTogether } from './measure.ts'
import type { Running } from './servers.ts'
import { startEngines } from './shared/engines.ts'
import { twoInstances, writesScript } from './shared/instances.ts'
import { callersScript } from './shared/reads.ts'

const CALLERS = 1000

const engines = await startEngines()
try {
  const [alone, shared] = await Promise.all([engines.startAlone(), engines.startShared()])
  console.log('| One instance on one core | kept reads/s | relayed writes/s |\n| --- | --- | --- |')
  console.log(await row('its own file', alone))
  console.log(await row('PostgreSQL and Valkey', shared))
  await Promise.all([alone.stop(), shared.stop()])
  await twoInstances(engines)
} finally {
  await engines.stop()
}

async function row(name: string, server: Running): Promise<string> {
  const callers = callersScript(CALLERS)
  const reads = await perSecond(server, '/api/prep/config', () => callers)
  const writes = await perSecond(server, '/api/prep/relay', writesScript)
  return `| ${[name, ...[reads, writes].map((one) => Math.round(one).toLocaleString('en'))].join(' | ')} |`
}

/** The median of rounds, of which the first warms up. */
async function perSecond(server: Running, path: string, script: () => string): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round <= ROUNDS; round++)
    rounds.push(await throughputTogether([server], path, [script()]))
  return median(rounds.slice(1))
}
