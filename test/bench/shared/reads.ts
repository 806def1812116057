import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { note } from '../aims.ts'
import { interleave, line, throughput } from '../measure.ts'
import type { Engines } from './engines.ts'

const PATH = '/api/prep/config'
const CALLERS = { sharedMany: 1000, sharedFew: 10 } as const

/** What a kept read costs an instance that shares its windows with others, beside one that has them alone. */
export async function sharedReads({ startAlone, startShared }: Engines): Promise<void> {
  const [alone, shared] = await Promise.all([startAlone(), startShared()])
  for (const [name, count] of Object.entries(CALLERS) as [keyof typeof CALLERS, number][]) {
    const script = callersScript(count)
    const rows = interleave({
      alone: () => throughput(alone, PATH, {}, script),
      shared: () => throughput(shared, PATH, {}, script),
    })
    const ofAlone = rows.shared.cpuMicros / rows.alone.cpuMicros
    note(name, ofAlone)
    console.log(`\nkept GET ${PATH} of ${count.toLocaleString('en')} callers, alone and shared`)
    for (const [who, row] of Object.entries(rows)) console.log(line(who, row))
    console.log(`  shared / alone cpu ${ofAlone.toFixed(3)}`)
  }
  await Promise.all([alone.stop(), shared.stop()])
}

/** A script of wrk: each request is the next caller's, as a proxy would pass it on. */
export function callersScript(count: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'prepd-callers-')), 'callers.lua')
  writeFileSync(
    file,
    `local requests, turn = {}, 0
function init()
  for n = 1, ${count} do
    wrk.headers['X-Forwarded-For'] = '10.1.' .. math.floor(n / 250) .. '.' .. n % 250
    requests[n] = wrk.format()
  end
end
function request()
  turn = turn % ${count} + 1
  return requests[turn]
end
`,
  )
  return file
}
