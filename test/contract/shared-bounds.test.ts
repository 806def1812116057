import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_JOURNAL } from '../../src/contract/agent-journal.ts'
import { APPROVAL } from '../../src/contract/approval.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { STANDBY } from '../../src/contract/standby.ts'
import { WEBHOOK } from '../../src/contract/webhook.ts'
import { ATTACKS } from '../faults/shared/attackers.ts'

const ROOT = join(import.meta.dir, '../..')
const BOUNDS: ReadonlySet<string> = new Set(
  [LIMITS, AGENT_JOURNAL, APPROVAL, STANDBY, WEBHOOK].flatMap((table) => Object.keys(table)),
)

/** The cells of the rows of SECURITY.md on bounds that callers share. */
async function sharedRows(): Promise<readonly string[][]> {
  const text = await Bun.file(join(ROOT, 'SECURITY.md')).text()
  const [, section = ''] = text.split('## Bounds that callers share')
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const rows = await sharedRows()

describe('bounds that callers share', () => {
  test('are listed', () => expect(rows.length).toBeGreaterThan(8))

  test('are all attacked by the soak of shared bounds', () => {
    expect(Object.keys(ATTACKS)).toEqual(rows.map(([bound = '']) => bound.replaceAll('`', '')))
  })

  test.each(rows.map((cells) => [cells[0], cells] as const))(
    '%s has a bound, its users, its last caller, what still works, and a test',
    (_, cells) => {
      expect(cells).toHaveLength(5)
      for (const cell of cells) expect(cell).not.toBe('')
      const [bound, shared, , works, tested] = cells
      const [name = ''] = quoted(bound)
      expect(BOUNDS.has(name)).toBe(true)
      for (const named of [...quoted(shared), ...quoted(works)])
        if (/^[a-z]+[A-Z]/.test(named)) expect(BOUNDS.has(named)).toBe(true)
      const paths = quoted(tested)
      expect(paths.length).toBeGreaterThan(0)
      for (const path of paths) expect(existsSync(join(ROOT, path))).toBe(true)
    },
  )
})
