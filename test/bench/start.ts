import { note } from './aims.ts'
import { median } from './measure.ts'
import { startPrepd } from './servers.ts'

const STARTS = 15

/** From spawning prepd on an empty data directory to the markets of its new world, with the executable in the page cache. */
export async function starts(): Promise<void> {
  await startMs()
  const figures: number[] = []
  for (let run = 0; run < STARTS; run++) figures.push(await startMs())
  note('start', median(figures))
  console.log(
    `\nspawn to the markets of a new world: median ${median(figures).toFixed(1)} ms, fastest ${Math.min(...figures).toFixed(1)} ms`,
  )
}

async function startMs(): Promise<number> {
  const startedMs = performance.now()
  const server = await startPrepd({}, null)
  await (await fetch(`${server.url}/api/prep/markets`)).arrayBuffer()
  const tookMs = performance.now() - startedMs
  await server.stop()
  return tookMs
}
