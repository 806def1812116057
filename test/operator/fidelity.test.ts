import { expect, test } from 'bun:test'
import { FIDELITY } from '../../src/contract/venue/fidelity.ts'
import { settingsFolder } from '../settings-folder.ts'
import { runCommand } from './run-command.ts'

test('every row of the table is printed, for people and as JSON, without a server', async () => {
  const folder = settingsFolder()
  const { lines, exitCode } = await runCommand(folder, ['venue', 'fidelity'])
  expect(exitCode).toBe(0)
  const text = lines.join('\n')
  for (const { rule, how } of FIDELITY)
    expect(text).toContain(how === '' ? rule : `${rule}: ${how}`)
  const { lines: json } = await runCommand(folder, ['venue', 'fidelity', '--json'])
  expect(JSON.parse(json.join('\n')).rows).toEqual(JSON.parse(JSON.stringify(FIDELITY)))
  folder[Symbol.dispose]()
})
