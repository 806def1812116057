import { createScrub } from '../../scrub/scrub.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { readOperand } from './operand.ts'

/**
 * Shows what callers would get of a JSON text of the venue, with the names that these settings blank. Answers the exit
 * code: 0, or 64 when the file cannot be read or is no JSON.
 */
export async function scrubTestCommand(deps: CommandDeps, args: CommandArguments): Promise<0 | 64> {
  const text = await readOperand(deps, args)
  if (text === null) return printMisuse(deps.print, 'FILE cannot be read')
  const scrub = createScrub({ names: deps.settings.scrubNames })
  try {
    JSON.parse(text)
    const { bytes } = scrub.text(text, { audience: 'public' })
    const scrubbed = new TextDecoder().decode(bytes)
    const value: unknown = JSON.parse(scrubbed)
    const isSame = scrubbed === text.trim()
    deps.tell({ changed: !isSame, scrubbed: value }, [
      scrubbed,
      isSame ? 'nothing was blanked' : 'it differs from what was given',
    ])
    return 0
  } catch {
    return printMisuse(deps.print, 'FILE holds no JSON')
  }
}
