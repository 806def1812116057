import { expect, test } from 'bun:test'
import { readVoucherConfig } from '../../src/gateway/voucher/config-file.ts'

test('the voucher example is a valid configuration of one chain', async () => {
  const text = await Bun.file(new URL('../../config/voucher.example.toml', import.meta.url)).text()
  const { chains } = readVoucherConfig(text)
  expect([...chains.keys()]).toEqual([42_161])
})
