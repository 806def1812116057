/**
 * Writes the reference pages and the example settings from the tables of `src/contract/`, and NOTICE from what is bundled. With `--check` it writes nothing. Exits 1 when a file is stale, or names a place that does not exist.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './bundle.ts'
import { missingPaths, unlistedFolders } from './doc-paths.ts'
import { exampleEnv, exampleToml } from './example-settings.ts'
import { noticeText } from './notices.ts'
import { REFERENCE_PAGES } from './reference.ts'

const FILES: Readonly<Record<string, (current: string) => string | Promise<string>>> = {
  ...Object.fromEntries(
    Object.entries(REFERENCE_PAGES).map(([name, render]) => [`config/reference/${name}`, render]),
  ),
  'config/prepd.example.toml': exampleToml,
  'config/prepd.example.env': exampleEnv,
  NOTICE: noticeText,
}

/** Texts that show the way: every place they name is there, and maps list the folders of src. */
const GUIDES = [
  { name: 'README.md', isMap: false },
  { name: 'src/README.md', isMap: true },
  { name: 'SECURITY.md', isMap: false },
  { name: 'config/reference/choices.md', isMap: false },
] as const

async function faultsOf({ name, isMap }: (typeof GUIDES)[number]): Promise<string[]> {
  const text = await Bun.file(join(ROOT, name)).text()
  const unlisted = isMap ? unlistedFolders(text, sourceFolders()) : []
  return [
    ...missingPaths(text, (path) => existsSync(join(ROOT, path))).map(
      (path) => `${name} names ${path}, which does not exist`,
    ),
    ...unlisted.map((folder) => `${name} does not list src/${folder}`),
  ]
}

function sourceFolders(): string[] {
  return readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
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

for (const fault of (await Promise.all(GUIDES.map(faultsOf))).flat()) {
  console.log(fault)
  process.exitCode = 1
}
