import { expect, test } from 'bun:test'
import { ACTS, ACTS_ROOT } from '../../src/contract/operator/acts.ts'
import { openTarget } from '../target.ts'

test('the acts are described by a document that needs no key, each with an example that fits', async () => {
  const target = await openTarget('in process')
  try {
    const response = await target.ops(`${ACTS_ROOT}openapi.json`)
    const { paths } = Object(await response.json())
    const rows = Object.values(ACTS)
    expect(Object.keys(paths).sort()).toEqual(rows.map(({ path }) => ACTS_ROOT + path).sort())
    for (const { parameters } of rows)
      for (const { pattern, example } of Object.values(parameters)) expect(example).toMatch(pattern)
  } finally {
    await target.stop()
  }
})

test('without an operator key there is nothing', async () => {
  const target = await openTarget('in process')
  try {
    for (const door of ['ops', 'fetch'] as const) {
      const response = await target[door](`${ACTS_ROOT}status`, {
        headers: { authorization: 'Bearer undefined' },
      })
      expect(response.status).toBe(404)
    }
  } finally {
    await target.stop()
  }
})
