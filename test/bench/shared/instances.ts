import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { note } from '../aims.ts'
import { median, ROUNDS, throughputTogether } from '../measure.ts'
import { CALLS, signed } from '../relay.ts'
import type { Running } from '../servers.ts'
import type { Engines } from './engines.ts'
import { openQuota } from './quota.ts'
import { callersScript } from './reads.ts'

const QUOTAS = ['one', 'other']
const CORES_EACH = 0.25
const CALLERS = 1000
/** More than an instance relays in a round. */
const WRITES = 20_000

/** What two instances serve together, each held to a part of a core, beside one of them alone. */
export async function twoInstances({ startShared }: Engines): Promise<void> {
  const quotas = QUOTAS.map((name) => openQuota(name, CORES_EACH))
  const instances = await Promise.all(quotas.map(() => startShared()))
  try {
    for (const [at, { hold }] of quotas.entries()) hold(instances[at]?.pid ?? 0)
    const callers = callersScript(CALLERS)
    note('twoReads', await together(instances, '/api/prep/config', () => callers))
    note('twoWrites', await together(instances, '/api/prep/relay', writesScript))
  } finally {
    await Promise.all(instances.map(({ stop }) => stop()))
    for (const { remove } of quotas) remove()
  }
}

/** How many times as much two answer as one, by rounds in which each has its turn. */
async function together(
  instances: readonly Running[],
  path: string,
  script: () => string,
): Promise<number> {
  const [one, two]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const alone = await throughputTogether(instances.slice(0, 1), path, [script()])
    const both = await throughputTogether(instances, path, instances.map(script))
    // The first round warms up.
    if (round > 0) [one, two].forEach((all, at) => void all.push([alone, both][at] ?? 0))
  }
  const times = median(two) / median(one)
  const shown = [one, two].map((all) => Math.round(median(all)).toLocaleString('en'))
  console.log(
    `\n${path}: an instance of a quarter of a core ${shown[0]} req/s, two ${shown[1]}; ${times.toFixed(2)} times`,
  )
  return times
}

/** A script of wrk: orders that are signed now, each another one. */
export function writesScript(): string {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-orders-'))
  const [bodies, script] = [join(folder, 'bodies'), join(folder, 'orders.lua')]
  const envelopes = Array.from({ length: WRITES }, (_, index) => signed(CALLS.write(index)))
  writeFileSync(bodies, envelopes.map((envelope) => `${JSON.stringify(envelope)}\n`).join(''))
  writeFileSync(
    script,
    `local bodies, turn = {}, 0
for line in io.lines('${bodies}') do bodies[#bodies + 1] = line end
wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
function request()
  turn = turn + 1
  return wrk.format(nil, nil, nil, bodies[turn])
end
`,
  )
  return script
}
