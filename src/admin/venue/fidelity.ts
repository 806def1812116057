import { FIDELITIES, FIDELITY } from '../../spec/venue/fidelity.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'
import { aligned } from '../help.ts'

/** Prints what the embedded venue models, simplifies or had to guess; `--json` as JSON. Answers 0. */
export async function venueFidelity(
  { print }: Pick<CommandDeps, 'print'>,
  args: CommandArguments,
): Promise<0> {
  if (args.has('--json')) print(JSON.stringify(FIDELITY))
  else for (const line of lines()) print(line)
  return 0
}

function lines(): readonly string[] {
  const meanings = Object.entries(FIDELITIES).map(([name, meaning]) => [name, meaning])
  const rows = FIDELITY.map(({ subject, fidelity, rule, how }) => [
    fidelity,
    subject,
    how === '' ? rule : `${rule}: ${how}`,
  ])
  return [...aligned(meanings), '', ...aligned(rows)]
}
