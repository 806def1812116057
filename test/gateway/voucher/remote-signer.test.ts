// Slow: openssl makes three certificates.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Failure } from '../../../src/core/failure.ts'
import type { RemoteKey } from '../../../src/gateway/voucher/config.ts'
import { toVoucherRefusal } from '../../../src/gateway/voucher/refusal.ts'
import { remoteSigner } from '../../../src/gateway/voucher/remote-signer.ts'
import { voucherSigner } from '../../../src/gateway/voucher/signers.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { writePair } from '../../tls-pair.ts'
import { SIGNER_ADDRESS, SIGNER_PUBLIC_KEY, SIGNER_SECRET, startSigner } from './signer-server.ts'

const folder = temporaryFolder()
const [server, client, stranger] = ['server', 'client', 'stranger'].map((name) =>
  writePair(folder.path, name),
)
const MESSAGE = new Uint8Array(66).fill(0x19)
const local = voucherSigner(Uint8Array.fromHex(SIGNER_SECRET.slice(2)))
const changes: (string | null)[] = []
let signer: ReturnType<typeof startSigner>

beforeAll(() => {
  if (server && client) signer = startSigner({ tls: { server, client } })
})
afterEach(() => {
  signer.state.answer = null
  changes.length = 0
})
afterAll(() => {
  signer.stop()
  folder[Symbol.dispose]()
})

function open(files: Partial<NonNullable<RemoteKey['files']>> = {}, url = signer.url) {
  const own = { certificate: client?.cert ?? '', key: client?.key ?? '', ca: server?.cert ?? '' }
  return remoteSigner(
    {
      url: new URL(url),
      publicKey: SIGNER_PUBLIC_KEY,
      address: SIGNER_ADDRESS,
      files: { ...own, ...files },
    },
    {
      readText: async (path) => readFileSync(path, 'utf8'),
      changed: (_, fault) => void changes.push(fault),
    },
  )
}

describe('a signer on another machine', () => {
  test('signs a message with the bytes that the key would here', async () => {
    const remote = open()
    expect(await remote.sign(MESSAGE)).toBe(await local.sign(MESSAGE))
    expect([remote.address, remote.fault(), changes]).toEqual([local.address, null, []])
  })

  test('may write v as 0 or 1, and in capitals', async () => {
    signer.state.answer = (signature) => {
      const v = signature.endsWith('1b') ? '00' : '01'
      return new Response(`0x${`${signature.slice(2, -2)}${v}`.toUpperCase()}\n`)
    }
    expect(await open().sign(MESSAGE)).toBe(await local.sign(MESSAGE))
  })

  test.each<[fault: string, answer: (signature: string) => Response]>([
    ['wrong_signature', (signature) => new Response(signature.replace(/^0x./, '0x7'))],
    ['wrong_signature', () => new Response('')],
    ['http_404', () => new Response('', { status: 404 })],
    ['http_302', () => Response.redirect(signer.url)],
    ['unreachable', () => new Response('x'.repeat(2000))],
  ])('is away, as %s, until it signs again', async (fault, answer) => {
    const remote = open()
    signer.state.answer = answer
    const error = await remote.sign(MESSAGE).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
    expect(toVoucherRefusal(error)).toMatchObject({ refusal: 'closed', status: 503 })
    await remote.check()
    expect([remote.fault(), changes]).toEqual([fault, [fault]])
    signer.state.answer = null
    await remote.check()
    expect([remote.fault(), changes]).toEqual([null, [fault, null]])
  })

  test('is spoken to by who has its certificate, and only if it is the one that is meant', async () => {
    for (const files of [
      { certificate: stranger?.cert ?? '', key: stranger?.key ?? '' },
      { ca: stranger?.cert ?? '' },
      { key: `${folder.path}/missing` },
    ]) {
      const before = signer.state.signs
      const remote = open(files)
      await remote.check()
      expect([remote.fault(), signer.state.signs - before]).toEqual(['unreachable', 0])
    }
  })

  test('that has gone is away', async () => {
    const gone = startSigner()
    gone.stop()
    const remote = open({}, gone.url)
    await remote.check()
    expect(remote.fault()).toBe('unreachable')
  })
})
