import { expect, test } from 'bun:test'
import { REGIONS, withRegions } from '../../build/doc-regions.ts'
import { variableOf } from '../../src/settings/sources.ts'
import { OPERATIONS } from '../../src/spec/operations.ts'
import { SETTING_ROWS } from '../../src/spec/settings.ts'

const MARKS = Object.keys(REGIONS).map(
  (name) => `before ${name}\n<!-- ${name} -->\nwritten before\n<!-- /${name} -->\nafter ${name}\n`,
)

test('a region is replaced, and what stands around it stays', () => {
  const written = withRegions(MARKS.join(''))
  for (const name of Object.keys(REGIONS)) {
    expect(written).toContain(`before ${name}\n<!-- ${name} -->\n|`)
    expect(written).toContain(`|\n<!-- /${name} -->\nafter ${name}\n`)
  }
  expect(written).not.toContain('written before')
})

test('writing twice changes nothing', () => {
  const once = withRegions(MARKS.join(''))
  expect(withRegions(once)).toBe(once)
})

test('a region that is missing or not closed is an error', () => {
  expect(() => withRegions(MARKS.slice(1).join(''))).toThrow(
    'README.md has no region <!-- settings -->',
  )
  expect(() => withRegions(MARKS.join('').replace('<!-- /surface -->', ''))).toThrow(
    '<!-- surface -->',
  )
})

test('each setting and operation stands in its region', () => {
  const written = withRegions(MARKS.join(''))
  for (const { name } of SETTING_ROWS) expect(written).toContain(`| \`${variableOf(name)}\` |`)
  for (const id of Object.keys(OPERATIONS)) expect(written).toContain(`\`${id}\``)
})
