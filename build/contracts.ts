import { join } from 'node:path'
import solc from 'solc'

/**
 * Compiles the contracts of the tests to test/contracts/artifacts.json. With `--check` nothing is written: the exit
 * code says whether the file is what the sources compile to.
 */
const FOLDER = join(import.meta.dir, '..', 'test', 'contracts')
const ARTIFACTS = join(FOLDER, 'artifacts.json')

/** Nothing of this machine or of the comments gets into the bytes. */
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

type Output = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Contract>>>>
}

type Contract = {
  readonly abi: unknown
  readonly evm: { readonly bytecode: { readonly object: string } }
}

async function readSources(): Promise<Record<string, { content: string }>> {
  const names = await Array.fromAsync(new Bun.Glob('*.sol').scan(FOLDER))
  const sources: Record<string, { content: string }> = {}
  for (const name of names.sort()) {
    sources[name] = { content: await Bun.file(join(FOLDER, name)).text() }
  }
  return sources
}

async function compile(): Promise<string> {
  const input = { language: 'Solidity', sources: await readSources(), settings: SETTINGS }
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = output.errors ?? []
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  const contracts = Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file))
  const artifacts = contracts
    .filter(([, { evm }]) => evm.bytecode.object !== '')
    .map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }])
  return `${JSON.stringify(Object.fromEntries(artifacts), null, 1)}\n`
}

async function main(): Promise<number> {
  const compiled = await compile()
  if (!Bun.argv.includes('--check')) {
    await Bun.write(ARTIFACTS, compiled)
    return 0
  }
  const committed = Bun.file(ARTIFACTS)
  if ((await committed.exists()) && (await committed.text()) === compiled) return 0
  console.error(
    'test/contracts/artifacts.json is not what its sources compile to: run build/contracts.ts',
  )
  return 1
}

process.exitCode = await main()
