import { expect } from 'bun:test'
import { checkValkey } from '../../src/valkey/topology.ts'
import { startValkey, VALKEY_PROGRAMS } from '../engines/valkey.ts'
import { testsNeeding } from '../programs.ts'
import { placeOf } from './fixture.ts'

const { test } = testsNeeding('checks of Valkey', ...VALKEY_PROGRAMS)

test('an engine that evicts rate windows is warned of, and one that does not is not', async () => {
  const valkey = await startValkey('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
  const look = () => checkValkey(placeOf(valkey.url), Date.now)
  const found = await look()
  expect(found.map(({ state }) => state)).toEqual(['ok', 'warn'])
  expect(found[1]?.seen).toEndWith(`127.0.0.1:${valkey.port} evicts by allkeys-lru`)
  await valkey.cli('config', 'set', 'maxmemory-policy', 'noeviction')
  expect((await look()).map(({ state }) => state)).toEqual(['ok'])
  expect(await valkey.cli('keys', '*')).toBe('')
  await valkey.stop()
})

test('an engine that refuses its user, or is not there, fails without a word of the password', async () => {
  const valkey = await startValkey()
  const wrong = placeOf(valkey.url.replace(valkey.password, 'not-the-password-of-it'))
  const refused = await checkValkey(wrong, Date.now)
  expect(refused[0]).toMatchObject({ state: 'fail' })
  expect(refused[0]?.seen).toEndWith('it refuses us (WRONGPASS)')
  await valkey.stop()
  const gone = await checkValkey(placeOf(valkey.url), Date.now)
  expect(gone[0]?.seen).toEndWith('it is unreachable')
  expect(JSON.stringify([refused, gone])).not.toContain('password-of-it')
  expect(JSON.stringify(gone)).not.toContain(valkey.password)
})
