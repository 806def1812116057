// Slow: PostgreSQL starts, and each command is an executable.
import { beforeAll, describe, expect, test } from 'bun:test'
import { testsNeeding } from '../programs.ts'
import { spawnPrepd } from '../surface/spawned.ts'
import { type SharedPostgres, sharedPostgres } from './postgres.ts'
import { startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { test: valkeyTest } = testsNeeding('settings of Valkey that are checked', ...VALKEY_PROGRAMS)

let server: SharedPostgres
let postgres = ''
beforeAll(async () => {
  server = await sharedPostgres()
  postgres = await server.newDatabase()
})

const UNREACHABLE = 'redis://127.0.0.1:9'

async function run(argv: readonly string[], url = postgres, valkey = UNREACHABLE) {
  const settings = { POSTGRES: url, VALKEY: valkey, VENUE: 'http://127.0.0.1:9' }
  const { code, stdout, stderr } = await spawnPrepd({
    argv: ['--mode', 'admin', ...argv],
    settings,
  }).ended()
  expect(stdout + stderr).not.toContain('hunter2')
  return { code, output: stdout + stderr }
}

const where = () => `PostgreSQL at 127.0.0.1:${server.port}/${new URL(postgres).pathname.slice(1)}`

describe('config check', () => {
  test('warns of a PostgreSQL without a synchronous standby, and is content all the same', async () => {
    const { code, output } = await run(['config', 'check'])
    expect(output).toContain(`warning: ${where()} has no synchronous standby`)
    expect(output).toContain(`data in ${where()}`)
    expect(output).toStartWith('ok\n')
    expect(code).toBe(0)
  })

  test('warns of a role that may not do what it has to', async () => {
    const url = await server.newDatabase()
    const database = new URL(url).pathname.slice(1)
    await server.ask(`ALTER DATABASE ${database} OWNER TO postgres`)
    await server.ask('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC', database)
    const { output } = await run(['config', 'check'], url)
    expect(output).toContain('the role may create no table. GRANT CREATE')
    expect(output).toContain('the role may not see its timeline. GRANT EXECUTE')
  })

  valkeyTest('warns of a Valkey that forgets rate windows, and names it', async () => {
    const valkey = await startValkey('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
    const { code, output } = await run(['config', 'check'], postgres, valkey.url)
    await valkey.stop()
    expect(output).toContain(`warning: Valkey at 127.0.0.1:${valkey.port} evicts by allkeys-lru`)
    expect(output).not.toContain(valkey.password)
    expect(code).toBe(0)
  })

  test('says why a PostgreSQL does not answer', async () => {
    const { output, code } = await run(['config', 'check'], postgres.replace('hunter2', 'hunter2x'))
    expect(output).toContain('it refuses the role or its password (SQLSTATE 28P01)')
    expect(output).toContain('no PostgreSQL takes writes')
    expect(code).toBe(0)
  })
})

test('doctor looks at PostgreSQL as well', async () => {
  const { output } = await run(['doctor'])
  expect(output).toMatch(/^ok +engines +PostgreSQL at .* takes writes, 18\./m)
  expect(output).toMatch(/^warn +engines +PostgreSQL at .* has no synchronous standby/m)
})

describe('commands on records', () => {
  test('say that the vouchers are those of PostgreSQL, and read and change them there', async () => {
    const adopted = await run(['voucher', 'adopt'])
    expect(adopted).toMatchObject({ code: 0, output: expect.stringContaining(`in ${where()}:`) })
    const audit = await run(['voucher', 'audit'])
    expect(audit.output).toContain('adopted')
    const database = new URL(postgres).pathname.slice(1)
    expect(await server.ask('SELECT event FROM prepd_voucher_audit', database)).toEqual([
      { event: 'adopted' },
    ])
  })

  test.each(['backup /nowhere/file', 'restore /nowhere/file', 'db check'])(
    'on a file are refused: %s',
    async (words) => {
      const { code, output } = await run(words.split(' '))
      expect(code).toBe(1)
      expect(output).toContain(`records are in ${where()}`)
    },
  )
})
