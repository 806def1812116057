/**
 * Writes what the tables say into the README's regions and the example settings, and what the bundler says into
 * NOTICE. With `--check` it writes nothing. Exits 1 when a file is stale.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './bundle.ts'
import { REGIONS, withRegions } from './doc-regions.ts'
import { exampleEnv, exampleToml } from './example-settings.ts'
import { noticeText } from './notices.ts'

const FILES: Readonly<Record<string, (current: string) => string | Promise<string>>> = {
  'README.md': (current) => withRegions(current === '' ? emptyReadme() : current),
  'config/prepd.example.toml': exampleToml,
  'config/prepd.example.env': exampleEnv,
  NOTICE: noticeText,
}

function emptyReadme(): string {
  const regions = Object.keys(REGIONS).map(
    (name) => `## ${name}\n\n<!-- ${name} -->\n<!-- /${name} -->\n`,
  )
  return ['# prepd\n', ...regions].join('\n')
}

const check = process.argv.includes('--check')
for (const [name, render] of Object.entries(FILES)) {
  const path = join(ROOT, name)
  const current = existsSync(path) ? await Bun.file(path).text() : ''
  const wanted = await render(current)
  if (current === wanted) continue
  if (check) {
    console.log(`${name} is stale: run bun build/docs.ts`)
    process.exitCode = 1
  } else {
    await Bun.write(path, wanted)
    console.log(`${name} written`)
  }
}
