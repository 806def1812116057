import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import artifacts from '../contracts/artifacts.json'

/** The default time of a test chain's first block; each block is one second later. */
export const GENESIS_SECONDS = 1_800_000_000

/** The first account of every node, unlocked and rich. */
export const OWNER: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

type MinedLog = { readonly logIndex: string; readonly address: string }
export type Mined = {
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly status: string
  readonly contractAddress: Address | null
  readonly logs: readonly MinedLog[]
}

/** A node of its own, on loopback. */
export type TestChain = {
  readonly chainId: number
  readonly url: string
  readonly rpc: <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>
  /** Sends a transaction and answers its receipt, whether it succeeded or not. */
  readonly send: (call: { to?: Address; data: Hex; from?: Address }) => Promise<Mined>
  readonly deploy: (
    name: keyof typeof artifacts,
    types?: string,
    values?: readonly unknown[],
  ) => Promise<Address>
  readonly mine: (blocks: number) => Promise<void>
  /** Waits until everything that was sent is in a block, however slow this machine is. */
  readonly idle: () => Promise<void>
  readonly stop: () => Promise<void>
}

const PLATFORM = process.platform === 'win32' ? 'win32' : process.platform
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch
const BINARY = join(
  import.meta.dir,
  '../../node_modules/@foundry-rs',
  `anvil-${PLATFORM}-${ARCHITECTURE}`,
  'bin',
  process.platform === 'win32' ? 'anvil.exe' : 'anvil',
)
/** Tries a few milliseconds apart: longer than any test may take. */
const TRIES = 5000

/** Starts a node. With one slot an epoch, a block is safe when one is on top of it and final when two are. */
export async function startChain(
  chainId: number,
  beginSeconds = GENESIS_SECONDS,
): Promise<TestChain> {
  if (!existsSync(BINARY)) throw new Error(`the EVM node is missing: npm install brings ${BINARY}`)
  const child = Bun.spawn(
    // biome-ignore format: a command line
    [BINARY, '--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId),
      '--slots-in-an-epoch', '1', '--timestamp', String(beginSeconds)],
    { stdout: 'pipe', stderr: 'ignore' },
  )
  const chain = chainAt(await listeningUrl(child), chainId, async () => {
    child.kill()
    await child.exited
  })
  await chain.rpc('anvil_setBlockTimestampInterval', 1)
  return chain
}

function chainAt(url: string, chainId: number, stop: TestChain['stop']): TestChain {
  async function rpc<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const answer = JSON.parse(await response.text())
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  async function send(call: { to?: Address; data: Hex; from?: Address }): Promise<Mined> {
    // The gas is given because an estimate refuses what is going to revert.
    const hash = await rpc<Hex>('eth_sendTransaction', { from: OWNER, gas: '0x2dc6c0', ...call })
    for (let tries = 0; tries < TRIES; tries += 1) {
      const mined = await rpc<Mined | null>('eth_getTransactionReceipt', hash)
      if (mined) return mined
      await Bun.sleep(5)
    }
    throw new Error('the EVM node does not mine')
  }

  async function deploy(name: keyof typeof artifacts, types = '', values: readonly unknown[] = []) {
    const args = types === '' ? '' : encodeAbiParameters(parseAbiParameters(types), values).slice(2)
    const { contractAddress } = await send({
      data: `0x${artifacts[name].bytecode.slice(2)}${args}`,
    })
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return contractAddress
  }

  const mine = async (blocks: number) => void (await rpc('anvil_mine', blocks, 1))
  const idle = async () => {
    const waiting = async () =>
      Object.values(await rpc<Readonly<Record<string, Hex>>>('txpool_status')).some(Number)
    while (await waiting()) await Bun.sleep(5)
  }
  return { chainId, url, rpc, send, deploy, mine, idle, stop }
}

/** The address that the node prints once it listens. */
async function listeningUrl(child: Bun.Subprocess<'ignore', 'pipe', 'ignore'>): Promise<string> {
  let [printed, url] = ['', '']
  async function drain() {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      if (!url) printed += decoder.decode(chunk, { stream: true })
    }
  }
  void drain()
  while (!url) {
    const [, address] = /Listening on (\S+)/.exec(printed) ?? []
    if (address) url = `http://${address}`
    else if (child.exitCode !== null) throw new Error(`the EVM node does not start: ${printed}`)
    else await Bun.sleep(5)
  }
  return url
}
