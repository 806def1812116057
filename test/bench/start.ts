import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { note } from './aims.ts'
import { median } from './measure.ts'
import { type Running, startPrepd, startProgram } from './servers.ts'

const STARTS = 15
const MINIMAL = new URL('./minimal.mjs', import.meta.url).pathname

/** From spawning to the first answer: prepd on an empty data directory, and a minimal server compiled the same way. */
export async function starts(): Promise<void> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'prepd-minimal-')), 'minimal')
  await Bun.build({ entrypoints: [MINIMAL], bytecode: true, compile: { outfile }, format: 'esm' })
  const [own, minimal]: [number[], number[]] = [[], []]
  for (let run = 0; run < STARTS; run++) {
    own.push(await startMs(() => startPrepd({}, null), '/api/prep/config'))
    minimal.push(await startMs(() => startProgram(outfile), '/'))
  }
  const ratio = median(own) / median(minimal)
  note('start', ratio)
  console.log(
    `\nspawn to first answer: median ${median(own).toFixed(1)} ms, fastest ${Math.min(...own).toFixed(1)} ms; a minimal server ${median(minimal).toFixed(1)} ms; ${ratio.toFixed(2)} times that`,
  )
}

async function startMs(open: () => Promise<Running>, path: string): Promise<number> {
  const startedMs = performance.now()
  const server = await open()
  await (await fetch(server.url + path)).arrayBuffer()
  const tookMs = performance.now() - startedMs
  await server.stop()
  return tookMs
}
