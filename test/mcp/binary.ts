import { tmpdir } from 'node:os'
import type { Target } from '../target.ts'
import type { Reply } from './rpc.ts'

/** The executable that is tested. */
export const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname

/** Where a compiled binary listens, as its log says. */
export async function urlOf(target: Target): Promise<string> {
  for (;;) {
    const url = /"event":"start","url":"([^"]+)"/.exec(target.log())?.[1]
    if (url) return url
    await Bun.sleep(1)
  }
}

export type Finished = { readonly out: string; readonly err: string; readonly exitCode: number }

/** Runs the executable as an agent server that is sent these lines and then the end of its input. */
export async function runStdio(
  lines: readonly (object | string)[],
  env: Readonly<Record<string, string>>,
  cwd = tmpdir(),
): Promise<Finished> {
  const child = Bun.spawn([BINARY, '--mode', 'mcp'], {
    env: { ...env, NO_PROXY: '127.0.0.1' },
    cwd,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  for (const line of lines) {
    child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }
  const ended = Promise.resolve(child.stdin.end()).catch(() => undefined)
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
    ended,
  ])
  return { out, err, exitCode }
}

/** The replies in an output of which every line must be one. */
export function repliesIn({ out }: Finished): readonly Reply[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
