import type { Command } from '../../operator/command/command.ts'
import { EVAL_FLAGS } from './flags.ts'

const FILE = { shown: 'FILE', meaning: 'An evaluation, such as config/evals/buy-with-stop.toml.' }

/** Commands that measure agents in separate worlds with their own time, without a server. */
export const EVAL_COMMANDS: readonly Command[] = [
  {
    path: 'eval run',
    summary: 'Run an agent in simulated worlds, measure it, judge it; exit code 1 when it fails.',
    operand: FILE,
    example: 'config/evals/buy-with-stop.toml --agent hold',
    arguments: [
      ...[EVAL_FLAGS.agent, EVAL_FLAGS.mcp, EVAL_FLAGS.env],
      ...[EVAL_FLAGS.seed, EVAL_FLAGS.secret, EVAL_FLAGS.out, EVAL_FLAGS.workers],
    ],
    run: async (deps, args) => (await import('./eval.ts')).evalRun(deps, args),
  },
  {
    path: 'eval replay',
    summary: 'Make the calls of a run again; exit code 1 when the world ends otherwise.',
    operand: FILE,
    example: 'config/evals/buy-with-stop.toml --seed 1',
    arguments: [EVAL_FLAGS.seed, EVAL_FLAGS.out],
    run: async (deps, args) => (await import('./eval.ts')).evalReplay(deps, args),
  },
  {
    path: 'eval compare',
    summary: 'Compare two agents that ran in the same worlds, seed by seed.',
    operand: { shown: 'FOLDER', meaning: 'Output folder of eval run for one agent.' },
    arguments: [EVAL_FLAGS.with, EVAL_FLAGS.html],
    required: [EVAL_FLAGS.with.flag],
    example: 'mine --with hold',
    run: async (deps, args) => (await import('./eval.ts')).evalCompare(deps, args),
  },
]
