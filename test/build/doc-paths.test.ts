import { expect, test } from 'bun:test'
import { missingPaths, unlistedFolders } from '../../build/doc-paths.ts'

const exists = (path: string) =>
  ['src/core/', 'src/core/log.ts', 'config/a.toml', 'src/main.ts'].includes(path)

test('a folder or file that is not there is found, each once', () => {
  const text =
    'In `gone/` and `core/gone.ts`, `src/gone`, `config/gone.toml`, `gone.ts` and `gone/` again.'
  expect(missingPaths(text, exists)).toEqual([
    'gone/',
    'core/gone.ts',
    'src/gone',
    'config/gone.toml',
    'gone.ts',
  ])
})

test('what is there from the root or from src is not, nor what is no path', () => {
  const text =
    '`core/`, `core/log.ts`, `config/a.toml`, `src/main.ts`, `main.ts`, `/healthz`, `127.0.0.0/8`, `GET gone/`, `eth/usd`, gone/a.ts'
  expect(missingPaths(text, exists)).toEqual([])
})

test('a folder is listed by a row of a table, not by a sentence', () => {
  const text = 'Below `core/` and `wire/`.\n\n| 1 | `core/` `scrub/` | what has no subject |\n'
  expect(unlistedFolders(text, ['core', 'scrub', 'wire'])).toEqual(['wire'])
  expect(unlistedFolders(text, ['core'])).toEqual([])
})
