import { expect, test } from 'bun:test'
import { AGENT_SIGNED_PATHS } from '../../src/contract/agent-paths.ts'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'

const PATHS = Object.entries(AGENT_SIGNED_PATHS).flatMap(([method, paths]) =>
  paths.map((path) => ({ method, path })),
)

test.each(PATHS)('$method $path is relayed at all', ({ method, path }) => {
  const row = RELAY_PATHS.find((known) => known.path === path)
  expect(row?.methods).toContain(method as never)
})

test('no path is listed twice', () => {
  const texts = PATHS.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(texts).size).toBe(texts.length)
})

test('nothing an agent may write moves a balance or changes many orders in one body', () => {
  const writes = PATHS.filter(({ method }) => method !== 'GET').map(({ path }) => path)
  expect(
    writes.filter((path) => /withdraw|settle|transfer|batch|position_margin/.test(path)),
  ).toEqual([])
  expect(PATHS.map(({ path }) => path).filter((path) => /_nonce$/.test(path))).toEqual([])
})
