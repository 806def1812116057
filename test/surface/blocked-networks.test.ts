import { afterAll, beforeAll, expect, test } from 'bun:test'
import { jsonPost } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'

const KEY = 'the-operator-key-of-the-blocked-networks'
let target: Target

beforeAll(async () => {
  target = await openTarget('in process', { OPERATOR_KEY: KEY, LIMIT_ADMIN: 'off' })
})
afterAll(() => target.stop())

async function ask(path: string, fields?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const init = fields ? { ...jsonPost(fields), headers } : { headers }
  return { body: Object(await (await target.ops(`/api/admin/${path}`, init)).json()) }
}

test('the operator blocks a network of IPv4 or IPv6, and no address beside it', async () => {
  const status = async (address: string) =>
    (await target.fetch('/api/prep/config', { headers: { 'x-forwarded-for': address } })).status
  const networks = ['198.51.100.128/25', '2001:db8:77::/48']
  for (const caller of networks) await ask('blocks/add', { caller })
  const inside = ['198.51.100.128', '198.51.100.255', '2001:db8:77:5::1', '2001:db8:77:ffff::']
  const beside = ['198.51.100.127', '198.51.101.1', '2001:db8:78::1', '2001:db8:76:ffff::1']
  for (const address of inside) expect([address, await status(address)]).toEqual([address, 403])
  for (const address of beside) expect([address, await status(address)]).toEqual([address, 200])
  const { body } = await ask('blocks')
  expect(body.rows.map(({ caller }: { caller: string }) => caller)).toEqual(networks)
  for (const caller of networks) await ask('blocks/remove', { caller })
  for (const address of inside) expect([address, await status(address)]).toEqual([address, 200])
  for (const caller of ['0.0.0.0/0', '198.51.100.1/25', '2001:db8:77::/65'])
    expect((await ask('blocks/add', { caller })).body.meta?.parameter).toBe('caller')
})
