import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAgentFile } from '../../src/store/agent-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'prepd-agent-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SOURCE = new URL('../../src/store/agent-file.ts', import.meta.url).pathname

function claim(identity: string, nowMs = 0) {
  return [{ identity, sinceMs: nowMs, expiresAtMs: nowMs + 1000 }, nowMs] as const
}

test('one of several that share the file wins, until the claim is given back or over', async () => {
  const path = join(folder, 'shared', 'orders.db')
  const several = Array.from({ length: 4 }, () => openAgentFile(path).sentOrders)
  const won = await Promise.all(several.map((each) => each.claim(...claim('a'))))
  expect(won.filter((each) => each)).toHaveLength(1)
  const [one, another] = several
  expect(await another?.find('a')).toEqual({ expiresAtMs: 1000, record: null })
  await another?.settle('a', 'accepted')
  expect(await one?.find('a')).toEqual({ expiresAtMs: 1000, record: 'accepted' })
  await one?.release('a')
  expect(await another?.claim(...claim('a'))).toBe(true)
  expect(await one?.claim(...claim('a', 999))).toBe(false)
  expect(await one?.claim(...claim('a', 1000))).toBe(true)
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
})

test('a claim outlives the process that made it and was killed', async () => {
  const path = join(folder, 'killed.db')
  const script = `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    await openAgentFile(${JSON.stringify(path)}).sentOrders.claim({ identity: 'a', sinceMs: 0, expiresAtMs: 1000 }, 0)
    process.kill(process.pid, 'SIGKILL')`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' })
  expect(await child.exited).not.toBe(0)
  expect(await openAgentFile(path).sentOrders.claim(...claim('a'))).toBe(false)
})

test('one of several processes that make the file at once wins', async () => {
  const path = join(folder, 'new', 'orders.db')
  const script = `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    const claim = { identity: 'a', sinceMs: 0, expiresAtMs: 1000 }
    console.log(await openAgentFile(${JSON.stringify(path)}).sentOrders.claim(claim, 0))`
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => {
      const options = { stdout: 'pipe', stderr: 'inherit' } as const
      return new Response(Bun.spawn([process.execPath, '-e', script], options).stdout).text()
    }),
  )
  expect(answers.toSorted()).toEqual(['false\n', 'false\n', 'false\n', 'true\n'])
})

test('a file that cannot be made is said, and nothing is claimed', async () => {
  const claims = openAgentFile('/dev/null/orders.db').sentOrders
  const code = await claims.claim(...claim('a')).then(String, (error) => error.code)
  expect(code).toBe('store_unavailable')
})
