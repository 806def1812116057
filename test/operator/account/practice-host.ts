import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createClient, type ServiceTransport } from '../../../src/agents/client/client.ts'
import { wirePublicKey } from '../../../src/core/crypto/signing.ts'
import { fromHex } from '../../../src/core/hex.ts'
import type { CommandWorld } from '../../../src/operator/command/command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { openTarget, type Target } from '../../target.ts'
import { REAL_WORLD } from '../real-world.ts'
import { runCommand } from '../run-command.ts'

/** A service on the simulated exchange for the tests of a file, and for each test a person with an empty home. */
export function practiceHost() {
  let target: Target
  let folder: ReturnType<typeof settingsFolder>
  let home: ReturnType<typeof temporaryFolder>
  beforeAll(async () => {
    target = await openTarget('in process')
  })
  beforeEach(() => {
    folder = settingsFolder()
    home = temporaryFolder()
  })
  afterEach(() => {
    folder[Symbol.dispose]()
    home[Symbol.dispose]()
  })
  afterAll(() => target.stop())

  const network: ServiceTransport = async (request) => {
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    return target.fetch(pathname + search, {
      ...{ method, headers },
      body: method === 'GET' ? null : await request.text(),
    })
  }

  function create(argv: readonly string[], changes: Partial<CommandWorld> = {}) {
    const user = { platform: 'linux', home: home.path, variables: {} }
    const world = { ...REAL_WORLD, transport: network, executable: '/opt/prepd', user, ...changes }
    return runCommand(folder, ['account', 'create', ...argv], {}, world)
  }

  async function accountsOpened(): Promise<number> {
    const { lines } = await runCommand(
      folder,
      ['account', 'list', '--json'],
      {},
      {
        ...REAL_WORLD,
        transport: (request) =>
          new URL(request.url).port === '8081' ? ops(request) : network(request),
      },
    )
    return JSON.parse(lines.join('')).rows.length
  }

  async function ops(request: Request): Promise<Response> {
    return target.ops(new URL(request.url).pathname)
  }

  /** What the account of a server's environment holds, by its own key. */
  async function holding(env: Record<string, string>): Promise<unknown> {
    const { SERVICE_ACCOUNT_ID: accountId = '', SERVICE_TRADING_KEY: key = '' } = env
    const secret = fromHex(key) ?? new Uint8Array()
    const client = createClient({
      baseUrl: 'http://localhost',
      transport: network,
      nowMs: Date.now,
    })
    const credentials = { accountId, secret, key: wirePublicKey(secret) }
    return Object(await client.relay(credentials, { method: 'GET', path: '/v1/client/holding' }))
      .holding[0].holding
  }

  return { create, accountsOpened, holding, network, home: () => home.path }
}

/** A file with a text, and the folders above it; answers its path. */
export function written(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
