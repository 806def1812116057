import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { needProgram, testsNeeding } from '../../programs.ts'
import { startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { connected, openInstance } from './fixture.ts'

const { test } = testsNeeding('sentinels of Valkey', ...VALKEY_PROGRAMS)

test.each([true, false])(
  'an engine is found by its sentinel, which has a password: %p',
  async (isLocked) => {
    const engine = await startValkey()
    const { port, password } = engine
    const folder = mkdtempSync(join(tmpdir(), 'prepd-sentinel-'))
    const [file, at] = [join(folder, 'sentinel.conf'), freePort()]
    const lines = [
      `port ${at}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor orders 127.0.0.1 ${port} 1`,
      `sentinel auth-pass orders ${password}`,
      ...(isLocked ? [`requirepass ${password}`] : []),
    ]
    writeFileSync(file, `${lines.join('\n')}\n`)
    const program = process.env['PREPD_TEST_VALKEY'] ?? needProgram('redis-server')
    const sentinel = Bun.spawn([program, file, '--sentinel'], { stdout: 'ignore' })
    const url = `valkey+sentinel://:${password}@127.0.0.1:${at}/orders`
    const { valkey } = await openInstance(url)
    await connected(valkey)
    const policy = { requests: 1, seconds: 3600, burst: 1 }
    expect((await valkey.windows.take('write found', policy)).allowed).toBe(true)
    expect(await engine.cli('keys', 'prepd:window:*')).toBe('prepd:window:write found')
    valkey.close()
    sentinel.kill()
    await sentinel.exited
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  },
)
