// Slow: a tour mines its blocks on two nodes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { encodeFunctionData, type Hex } from 'viem'
import { isLoopbackUrl } from '../../src/core/base-url.ts'
import { callWithBytes, toCalldata } from '../../src/core/crypto/calldata.ts'
import { operatorCommands } from '../../src/main/commands.ts'
import type { CommandWorld } from '../../src/operator/command/command.ts'
import { runCommand } from '../../src/operator/command/output.ts'
import { localNode } from '../../src/operator/tour/local-node.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { NO_NETWORK } from '../operator/run-command.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { type ClockedTarget, openClocked } from '../surface/clocked-target.ts'
import { adopt, configText, type VoucherFixtureOptions, voucherArgument } from './fixture.ts'
import { ABI, openStage, RECIPIENT, type Stage } from './stage.ts'

const REDEEM = 'redeem((uint256,address,uint256,address,address,uint256,uint256),bytes)'
const BASE = 'http://127.0.0.1:1'
const folder = settingsFolder()
let stage: Stage
let target: ClockedTarget

beforeAll(async () => {
  stage = await openStage(Math.floor(Date.now() / 1000) - 60)
  const store = openVoucherStore(join(folder.path('data'), 'prepd.sqlite'))
  await adopt(store, { nowMs: Date.now })
  store.close()
  target = await openClocked({
    DATA_DIR: folder.path('data'),
    VENUE: 'embedded',
    VOUCHER: voucherFile(),
    VOUCHER_KEY: '07'.repeat(32),
  })
})
afterAll(async () => {
  await target.stop()
  await stage.stop()
  folder[Symbol.dispose]()
})

function voucherFile(options: VoucherFixtureOptions = {}): string {
  return folder.write('voucher.toml', configText(stage, options))
}

/** Requests of the tour into the target, all others to the nodes; `meddle` may answer in the place of a node. */
function worldOf(meddle: (call: string) => unknown = () => undefined): CommandWorld {
  return {
    ...NO_NETWORK,
    clock: { nowMs: target.nowMs },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    sleep: async (ms) => {
      target.advance(ms)
      await Promise.all([stage.source.idle(), stage.destination.idle()])
    },
    transport: async (request) => {
      const { pathname, search } = new URL(request.url)
      const { method, headers } = request
      const body = method === 'GET' ? null : await request.text()
      if (request.url.startsWith(BASE)) {
        return target.fetch(pathname + search, { method, headers, body })
      }
      const answer = meddle(body ?? '')
      return answer === undefined
        ? fetch(request.url, { method, headers, body })
        : Response.json(answer)
    },
  }
}

async function runTour(world: CommandWorld, nodes = [stage.source.url, stage.destination.url]) {
  const [source = '', destination = ''] = nodes
  const argv = ['tour', '--url', BASE, '--source-node', source, '--destination-node', destination]
  const env = { PREPD_VOUCHER: folder.path('voucher.toml') }
  const invocation = running(folder.invoke(['--mode', 'admin', ...argv], env))
  if (invocation.mode !== 'admin') throw new Error('not an admin command')
  const lines: string[] = []
  const { command, args, json, settings, entries } = invocation
  const print = (line: string) => void lines.push(line)
  const given = { settings, entries, unit: null, commands: operatorCommands() }
  const deps = { json, print, complain: print, ...given, files: folder.files, world }
  const exitCode = await runCommand(command, args, deps)
  return { exitCode, lines, last: lines.at(-2)?.replace(/^ *\d+ +/, '') }
}

describe('the tour with two nodes', () => {
  test('deposits, waits for finality, redeems, and sees the second redemption revert', async () => {
    const { exitCode, lines } = await runTour(worldOf())
    expect(lines.slice(-8).map((line) => line.replace(/0x[0-9a-f]{8}…/, 'HASH'))).toEqual([
      '15  deposit       1000000 units on chain 901 in HASH',
      '16  voucher       not yet: the deposit is final in 2 blocks',
      '17  finality      2 blocks mined on top of it',
      '18  voucher       signed: HASH pays 1000000 units',
      '19  redeem        1000000 units arrived on chain 902',
      '20  redeem again  the redeemer refused: one deposit, one payment',
      'Every step did what it should.',
      'An account of your own: prepd --mode admin account create',
    ])
    expect(exitCode).toBe(0)
  })

  test.each([
    ['pays twice', 2, '0x1', 'redeem again  FAILED: the redeemer paid a second time'],
    ['pays nothing', 1, '0x1', 'redeem        FAILED: the redeemer did not pay the amount'],
    ['refuses', 1, '0x0', 'redeem        FAILED: the redemption reverted'],
  ])('fails when the redeemer %s', async (_, forgedOne, status, line) => {
    const forged = `0x${'0'.repeat(64)}`
    let redemptions = 0
    const world = worldOf((call) => {
      if (call.includes('eth_getTransactionReceipt') && call.includes(forged)) {
        return { result: { status } }
      }
      if (!call.includes(redeemSelector())) return undefined
      redemptions += 1
      return redemptions === forgedOne ? { result: forged } : undefined
    })
    expect(await runTour(world)).toMatchObject({ exitCode: 1, last: line })
    expect(redemptions).toBe(forgedOne)
  })

  test('sends nothing to nodes whose chains the file does not name', async () => {
    const sent: string[] = []
    const world = worldOf((call) => void sent.push(call))
    const swapped = [stage.destination.url, stage.source.url]
    expect(await runTour(world, swapped)).toMatchObject({
      exitCode: 1,
      last: 'deposit       FAILED: the VOUCHER file has no vault of event Deposit on the source node’s chain',
    })
    const same = [stage.source.url, stage.source.url]
    expect(await runTour(world, same)).toMatchObject({
      exitCode: 1,
      last: 'deposit       FAILED: the VOUCHER file has no payout on the destination node’s chain',
    })
    expect(sent.join('')).not.toMatch(/sendTransaction|evm_mine/)
  })
})

function redeemSelector(): string {
  return `"data":"${callWithBytes(REDEEM, [0n, '0x0', 0n, '0x0', '0x0', 0n, 0n], '0x').slice(0, 10)}`
}

describe('a node', () => {
  const open = (url: string) =>
    localNode({
      url,
      name: 'source node',
      transport: (request) => fetch(request),
      sleep: Bun.sleep,
    })

  test('that refuses, or is not there, is named without its words', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'secret words' } }
    const upstream = await startRecordingUpstream(() => ({ json: error }))
    await expect(open(upstream.url).mine()).rejects.toThrow('the source node refused evm_mine')
    await upstream.stop()
    await expect(open(upstream.url).mine()).rejects.toThrow('the source node cannot be reached')
  })

  test('without an unlocked account, or without a contract, is of no use', async () => {
    const upstream = await startRecordingUpstream(({ text }) => ({
      json: { result: text.includes('eth_accounts') ? [] : '0x' },
    }))
    await expect(open(upstream.url).send(RECIPIENT, '0x')).rejects.toThrow(
      'the source node has no unlocked account',
    )
    await expect(open(upstream.url).read(RECIPIENT, '0x')).rejects.toThrow('no such contract')
    expect(upstream.requests.map(({ text }) => JSON.parse(text).method)).toEqual([
      'eth_accounts',
      'eth_call',
    ])
    await upstream.stop()
  })

  test.each([
    ['http://127.0.0.1:8545', true],
    ['http://localhost:8545', true],
    ['http://[::1]:8545', true],
    ['https://rpc.example', false],
    ['http://10.0.0.1', false],
    ['http://127.0.0.1.example', false],
    ['nonsense', false],
  ])('%s is on this machine: %p', (url, local) => {
    expect(isLoopbackUrl(URL.parse(url))).toBe(local)
  })
})

describe('calldata', () => {
  const TOKEN = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

  test('is what a library makes of the same call', () => {
    const plain = (functionName: 'balanceOf' | 'mint' | 'approve' | 'deposit', args: unknown) =>
      encodeFunctionData({ abi: ABI, functionName, args } as never)
    const [amount, chain] = [2n ** 200n + 7n, 902n]
    expect(toCalldata('balanceOf(address)', [TOKEN])).toBe(plain('balanceOf', [TOKEN]))
    expect(toCalldata('mint(address,uint256)', [TOKEN, amount])).toBe(
      plain('mint', [TOKEN, amount]),
    )
    expect(toCalldata('approve(address,uint256)', [TOKEN, amount])).toBe(
      plain('approve', [TOKEN, amount]),
    )
    const words = [TOKEN, amount, RECIPIENT, chain] as const
    expect(toCalldata('deposit(address,uint256,address,uint256)', words)).toBe(
      plain('deposit', words),
    )
  })

  test.each([0, 1, 31, 32, 64, 65])('of a redemption has a signature of %i bytes', (length) => {
    const signature: Hex = `0x${'ab'.repeat(length)}`
    const words = [901n, TOKEN, 3n, RECIPIENT, TOKEN, 25n, 1_800_000_000n] as const
    const [sourceChainId, sourceVault, depositId, recipient, token, amount, validUntil] =
      words.map(String)
    const voucher = { sourceChainId, sourceVault, depositId, recipient, token, amount, validUntil }
    const args = [voucherArgument({ voucher: voucher as never }), signature] as const
    expect(callWithBytes(REDEEM, words, signature)).toBe(
      encodeFunctionData({ abi: ABI, functionName: 'redeem', args }),
    )
  })

  test('never holds an argument that does not fit', () => {
    for (const word of [2n ** 256n, -1n, '0x', 'USDC', `0x${'1'.repeat(65)}`]) {
      expect(() => toCalldata('balanceOf(address)', [word])).toThrow('an argument is no word')
    }
    expect(() => callWithBytes(REDEEM, [0n, '0x0', 0n, '0x0', '0x0', 0n, 0n], '0xabc')).toThrow(
      'not hex',
    )
  })
})
