import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHEAP_WORLD_VARIABLES, type Target } from '../target.ts'
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

export type Finished = {
  readonly out: string
  /** Without its lines about slow calls. */
  readonly err: string
  readonly exitCode: number
  /** The files that the server left in the empty folder it was started in. */
  readonly left: readonly string[]
}

/** Runs the executable as an agent server that is sent these lines and then the end of its input. */
export async function runStdio(
  lines: readonly (object | string | Uint8Array)[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-agent-'))
  const state = mkdtempSync(join(tmpdir(), 'prepd-agent-state-'))
  const child = Bun.spawn([BINARY, '--mode', 'mcp'], {
    env: { XDG_STATE_HOME: state, ...CHEAP_WORLD_VARIABLES, ...env, NO_PROXY: '127.0.0.1' },
    cwd: folder,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  for (const line of lines) {
    const isWritten = typeof line === 'string' || line instanceof Uint8Array
    child.stdin.write(isWritten ? line : JSON.stringify(line))
    child.stdin.write('\n')
  }
  const ended = Promise.resolve(child.stdin.end()).catch(() => undefined)
  const [out, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
    ended,
  ])
  // A machine that is busy is no subject here.
  const err = stderr.replace(/^.*"event":"upstream_slow".*\n/gm, '')
  const left = readdirSync(folder)
  for (const made of [folder, state]) rmSync(made, { recursive: true })
  return { out, err, exitCode, left }
}

/** The replies in an output of which every line must be one. */
export function repliesIn({ out }: Pick<Finished, 'out'>): readonly Reply[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
