import { FIDELITIES, FIDELITY } from '../../spec/venue/fidelity.ts'
import type { CommandDeps } from '../command.ts'
import { aligned } from '../help.ts'

/** Tells what the embedded venue models, simplifies or had to guess. Answers 0. */
export async function venueFidelity({ tell }: Pick<CommandDeps, 'tell'>): Promise<0> {
  const meanings = Object.entries(FIDELITIES).map(([name, meaning]) => [name, meaning])
  const rows = FIDELITY.map(({ subject, fidelity, rule, how }) => [
    fidelity,
    subject,
    how === '' ? rule : `${rule}: ${how}`,
  ])
  tell({ rows: FIDELITY }, [...aligned(meanings), '', ...aligned(rows)])
  return 0
}
