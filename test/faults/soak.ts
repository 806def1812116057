/**
 * npm run soak [kills] [requests]: what the tests show in seconds, for as long as it takes. Kills prepd so many times
 * under load, then asks it so many mixed requests and weighs it. Exits 1 when anything was doubled, lost, strange or grew.
 */
import { chanceOf } from './chance.ts'
import { killAgainAndAgain } from './kills.ts'
import { mixedRequests } from './mixed-requests.ts'

const DEFAULTS = { kills: 1000, requests: 10_000_000 } as const
const GROWTH_MAX = 0.1

const [kills = DEFAULTS.kills, requests = DEFAULTS.requests] = process.argv.slice(2).map(countOf)
const seed = Date.now() >>> 0
const good = [await soakKills(kills), await soakRequests(requests)]
process.exitCode = good.every(Boolean) ? 0 : 1

function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`${text} is no count`)
  return count
}

async function soakKills(count: number): Promise<boolean> {
  if (count === 0) return true
  const _startedAtMs = performance.now()
  const figures = await killAgainAndAgain(count, chanceOf(seed), (done) => {
    if (done % 100 === 0) 
  })
  const { doubled, lost, strange, ...sums } = figures
  for (const _one of [...doubled, ...lost, ...strange].slice(0, 20)) 
  return doubled.length + lost.length + strange.length === 0
}

async function soakRequests(count: number): Promise<boolean> {
  if (count === 0) return true
  const _startedAtMs = performance.now()
  const { statuses, warmMb, endMb, strange } = await mixedRequests(count, chanceOf(seed), (_told) => {
  })
  const growth = (endMb - warmMb) / warmMb
  for (const _one of strange.slice(0, 20)) 
  return strange.length === 0 && growth < GROWTH_MAX
}

function _seconds(startedAtMs: number): string {
  return ((performance.now() - startedAtMs) / 1000).toFixed(0)
}
