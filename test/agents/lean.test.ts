import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** The modules that an agent server of a remote service loads before its first call. */
const ENTRIES = [
  'main.ts',
  'main/agent-mode.ts',
  'agents/protocol/agent.ts',
  'agents/tools/tools.ts',
  'agents/client/remote.ts',
]

const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

/** Every module that is loaded with these, not counting lazy imports. */
function loadedWith(entries: readonly string[]): ReadonlySet<string> {
  const seen = new Set(entries.map((entry) => `src/${entry}`))
  for (const path of seen) {
    if (!path.startsWith('src/')) continue
    for (const [, target = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)) {
      seen.add(target.startsWith('.') ? normalize(join(path, '..', target)) : target)
    }
  }
  return seen
}

test('an agent server with its service elsewhere loads no web framework, no database and no venue', () => {
  const loaded = [...loadedWith(ENTRIES)]
  expect(loaded).toContain('src/agents/protocol/protocol.ts')
  expect(loaded).toContain('src/core/crypto/signing.ts')
  expect(loaded.filter((path) => path.startsWith('src/') && !existsSync(join(ROOT, path)))).toEqual(
    [],
  )
  expect(
    loaded.filter((path) =>
      /^src\/(?:cluster|gateway|http|store|simulator|upstream\/(?!wire))\//.test(path),
    ),
  ).toEqual([])
  expect(loaded.filter((path) => /^(?:@?elysia|bun:sqlite|@noble\/curves)/.test(path))).toEqual([])
})
