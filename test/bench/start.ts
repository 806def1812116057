import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLE, ROOT } from '../../build/bundle.ts'
import { bundlePages } from '../../build/pages.ts'
import { note } from './aims.ts'
import { median } from './measure.ts'
import { type Running, startPrepd, startProgram } from './servers.ts'

const STARTS = 15
const MINIMAL = new URL('./minimal.mjs', import.meta.url).pathname
const SAME_SIZE = new URL('./same-size.mjs', import.meta.url).pathname

/**
 * From spawning to the first answer: prepd on an empty data directory, a minimal server compiled the same way, and that
 * server in an executable of the same size.
 */
export async function starts(): Promise<void> {
  const [minimal, sameSize] = [await compiled(MINIMAL), await compiled(SAME_SIZE)]
  const figures = { own: [] as number[], minimal: [] as number[], big: [] as number[] }
  for (let run = 0; run < STARTS; run++) {
    figures.own.push(await startMs(() => startPrepd({}, null), '/api/prep/config'))
    figures.minimal.push(await startMs(() => startProgram(minimal), '/'))
    figures.big.push(await startMs(() => startProgram(sameSize), '/'))
  }
  const { own, minimal: least, big } = figures
  const ratio = median(own) / median(least)
  note('start', ratio)
  console.log(
    `\nspawn to first answer: median ${median(own).toFixed(1)} ms, fastest ${Math.min(...own).toFixed(1)} ms; a minimal server ${median(least).toFixed(1)} ms, in an executable of the same size ${median(big).toFixed(1)} ms; ${ratio.toFixed(2)} and ${(median(own) / median(big)).toFixed(2)} times that`,
  )
}

/** Compiles a server as prepd is compiled; answers where it is. */
async function compiled(entrypoint: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'prepd-minimal-')), 'minimal')
  const { plugin } = await bundlePages(ROOT)
  await Bun.build({
    ...BUNDLE,
    entrypoints: [entrypoint],
    plugins: [plugin],
    bytecode: true,
    compile: { outfile },
  })
  return outfile
}

async function startMs(open: () => Promise<Running>, path: string): Promise<number> {
  const startedMs = performance.now()
  const server = await open()
  await (await fetch(server.url + path)).arrayBuffer()
  const tookMs = performance.now() - startedMs
  await server.stop()
  return tookMs
}
