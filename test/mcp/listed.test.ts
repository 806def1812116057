import { expect, test } from 'bun:test'
import { listText } from '../../build/tool-list.ts'
import { listedTools } from '../../src/mcp/protocol/listed.ts'
import { TOOLS } from '../../src/mcp/tools/tools.ts'

const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname

const shown = JSON.parse(listText(TOOLS)).map(
  ({ arguments: inputSchema, annotations, ...words }: Record<string, object>) => ({
    ...words,
    inputSchema,
    annotations: { title: words['title'], ...annotations },
  }),
)

test('from source the tools are listed as they are', async () => {
  expect(await listedTools()).toBe(TOOLS)
})

test('the executable lists what its tools are, though it has loaded none', async () => {
  const child = Bun.spawn([BINARY, '--mode', 'mcp'], {
    env: { SERVICE_API_URL: 'http://127.0.0.1:1' },
    stdin: new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const { result } = JSON.parse(await child.stdout.text())
  expect(await child.exited).toBe(0)
  const reads = shown.filter(
    ({ annotations }: { annotations: { readOnlyHint: boolean } }) => annotations.readOnlyHint,
  )
  expect(result.tools).toEqual(reads)
})
