import { expect, test } from 'bun:test'
import { settingsFolder } from '../settings-folder.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const asked: string[] = []

function check(
  argv: readonly string[],
  status: number,
  env: Readonly<Record<string, string>> = {},
) {
  using folder = settingsFolder()
  asked.length = 0
  const transport = async (request: Request) => {
    asked.push(request.url)
    return new Response('', { status })
  }
  return runCommand(folder, ['healthcheck', ...argv], env, { ...NO_NETWORK, transport })
}

test('a server that answers is healthy, asked where the settings have it', async () => {
  expect(await check([], 200)).toEqual({ lines: ['ok'], exitCode: 0 })
  expect(asked).toEqual(['http://127.0.0.1:8081/healthz'])
  expect(await check(['--ready'], 200, { PREPD_OPS_LISTEN: '[::]:9' })).toMatchObject({
    exitCode: 0,
  })
  expect(asked).toEqual(['http://[::1]:9/readyz'])
})

test('one that refuses, or is not there, is not', async () => {
  expect(await check(['--ready'], 503)).toEqual({
    lines: ['http://127.0.0.1:8081/readyz: 503'],
    exitCode: 1,
  })
  using folder = settingsFolder()
  expect(await runCommand(folder, ['healthcheck'])).toEqual({
    lines: ['http://127.0.0.1:8081/healthz: no answer'],
    exitCode: 1,
  })
})

test.each(['off', '127.0.0.1:0'])(
  'with the operator’s listener at %s nothing is asked',
  async (at) => {
    expect((await check([], 200, { PREPD_OPS_LISTEN: at })).exitCode).toBe(64)
    expect(asked).toEqual([])
  },
)
