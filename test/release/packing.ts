import { expect } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES, type Packing } from '../../build/release/packages.ts'
import { until } from '../cluster/processes.ts'

/** What a package holds in tests that look at the package: something small that runs a shell command. */
export function standIn(folder: string, command = 'echo stand-in'): string {
  const path = join(folder, 'stand-in')
  writeFileSync(path, `#!/bin/sh\n${command}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Makes every package of a target, or those of one kind, in a folder of its own, and answers where they are. */
export function packagesIn(
  folder: string,
  packing: Pick<Packing, 'target' | 'executable'> & Partial<Packing>,
  only?: (typeof PACKAGES)[number]['kind'],
): string[] {
  const [out, work] = [join(folder, 'out'), join(folder, 'work')]
  for (const path of [out, work]) mkdirSync(path, { recursive: true })
  const all = { version: '1.2.3', atSeconds: 1_700_000_000, level: 1, out, work, ...packing }
  const rows = PACKAGES.filter(({ kind, isFor }) => isFor(all.target) && kind === (only ?? kind))
  return rows.map(({ make }) => join(out, make(all)))
}

/** Waits for an answer of the new world, which a busy machine is not quick to make. */
export const served = (url: string) =>
  until(async () => {
    const { status } = await fetch(`${url}/api/prep/markets`)
    expect([200, 504]).toContain(status)
    return status === 200
  })
