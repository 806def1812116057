import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { FIDELITY } from '../../src/contract/venue/fidelity.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const COVERS = FIDELITY.flatMap(({ covers = [] }) => covers)

function isCovered(name: string): boolean {
  return COVERS.some((cover) =>
    cover.endsWith('*') ? name.startsWith(cover.slice(0, -1)) : cover === name,
  )
}

describe('the table of fidelity', () => {
  test('names places that are there, and says what was chosen wherever the rule is not followed', () => {
    for (const { where, fidelity, how, rule } of FIDELITY) {
      expect([where, existsSync(join(ROOT, where))]).toEqual([where, true])
      if (fidelity !== 'modelled') expect([rule, how]).not.toEqual([rule, ''])
    }
    expect(new Set(FIDELITY.map(({ rule }) => rule)).size).toBe(FIDELITY.length)
  })

  test('has a row for every operation and every relayed path', () => {
    const names = [...Object.keys(OPERATIONS), ...RELAY_PATHS.map(({ path }) => path)]
    expect(names.filter((name) => !isCovered(name))).toEqual([])
  })

  test('stands for nothing that there is not', () => {
    const names = [...Object.keys(OPERATIONS), ...RELAY_PATHS.map(({ path }) => path)]
    const idle = COVERS.filter(
      (cover) =>
        !names.some((name) =>
          cover.endsWith('*') ? name.startsWith(cover.slice(0, -1)) : name === cover,
        ),
    )
    expect(idle).toEqual([])
  })
})
