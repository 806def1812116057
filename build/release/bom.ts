import { join } from 'node:path'
import { ROOT } from '../bundle.ts'
import { run } from './stage.ts'

/** Writes what the program is made of, as a CycloneDX document without times or numbers of its own. Answers its name. */
export function writeBom(out: string): string {
  const name = 'prepd.cdx.json'
  const options = ['--omit', 'dev', '--output-reproducible', '--output-format', 'JSON']
  const program = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js')
  run(['node', program, ...options, '--output-file', join(out, name)], { cwd: ROOT })
  return name
}
