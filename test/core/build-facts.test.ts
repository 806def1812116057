import { expect, test } from 'bun:test'
import { versionJson, versionLine } from '../../src/core/build-facts.ts'

test('the version is one line that starts with the name', () => {
  expect(versionLine()).toMatch(/^prepd \S+ \(\S+\)$/)
})

test('the version as JSON says what runs, and which venue', () => {
  expect(JSON.parse(versionJson({ sqlite: '3.54.1', venue: 'embedded' }))).toEqual({
    name: 'prepd',
    version: 'source',
    commit: 'source',
    bun: Bun.version,
    sqlite: '3.54.1',
    elysia: 'source',
    venue: 'embedded',
  })
})
