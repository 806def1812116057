import { gzipSync } from 'node:zlib'
import { operatorCommands } from '../../src/main/commands.ts'
import { completionLines } from '../../src/operator/shell/completion.ts'
import { manualPage } from '../../src/operator/shell/man.ts'
import type { StagedFile } from './stage.ts'

/**
 * What a shell has of an installed prepd: its manual page, and what completes its commands in bash. Both come from the
 * tables and not from the executable, which may be of another machine.
 */
export function shellFiles(version: string): readonly StagedFile[] {
  const page = textOf(manualPage(operatorCommands(), version))
  const completion = textOf(completionLines('bash', operatorCommands()) ?? [])
  return [
    {
      path: 'usr/share/man/man1/prepd.1.gz',
      from: { text: gzipSync(page, { level: 9 }) },
      mode: 0o644,
    },
    {
      path: 'usr/share/bash-completion/completions/prepd',
      from: { text: completion },
      mode: 0o644,
    },
  ]
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
