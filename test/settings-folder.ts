import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Invocation, processInputs, readInvocation } from '../src/settings.ts'

/** A temporary folder of configuration files, and invocations that read them from the real disk. */
export function settingsFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-settings-'))
  const { files } = processInputs()
  return {
    files,
    path: (name: string): string => join(folder, name),
    /** Writes a file, by default readable by its owner alone, and answers its path. */
    write(name: string, text: string, mode = 0o600): string {
      const path = join(folder, name)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    },
    invoke(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Invocation {
      return readInvocation(argv, env, files)
    },
    [Symbol.dispose]: (): void => rmSync(folder, { recursive: true }),
  }
}

/** The configured part of an invocation that runs; the refusal's lines as an error otherwise. */
export function running(invocation: Invocation) {
  if (invocation.kind === 'run') return invocation
  throw new Error(invocation.kind === 'refusal' ? invocation.lines.join('\n') : invocation.kind)
}

/** The lines of a refusal; none when there was none. */
export function refusal(invocation: Invocation): readonly string[] {
  return invocation.kind === 'refusal' ? invocation.lines : []
}
