import { expect, test } from 'bun:test'
import { hashTypedData } from 'viem'
import { serviceTypedData } from '../../../src/core/crypto/service-typed-data.ts'

const values = {
  account: `0x${'1'.repeat(64)}`,
  ...{ service: 'localhost', action: 'list', url: '', events: '', webhook: '', timestamp: 1 },
}
const service = { service: 'prepd', chainId: 1 }

test('texts that came later stand behind the fields of a struct, which without them stays as it was', () => {
  const before = serviceTypedData('Webhook', values, service)
  const { typedData, digest } = serviceTypedData('Webhook', values, service, { note: 'new' })
  const [own, more] = [JSON.parse(before.typedData), JSON.parse(typedData)]
  expect(own.message).not.toHaveProperty('note')
  expect(more.types.Webhook).toEqual([...own.types.Webhook, { name: 'note', type: 'string' }])
  expect(more.message).toEqual({ ...own.message, note: 'new' })
  // Wallets hash the document by themselves.
  expect(hashTypedData(more)).toBe(`0x${Buffer.from(digest).toString('hex')}`)
  expect(hashTypedData(own)).toBe(`0x${Buffer.from(before.digest).toString('hex')}`)
})
