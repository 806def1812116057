import type { CommandFlag } from '../../operator/command/command.ts'

/** The flags of the evaluations. */
export const EVAL_FLAGS = {
  agent: {
    flag: '--agent',
    value: { shown: 'NAME' },
    meaning: "In place of the file's: hold, random, momentum, maker, a quoted command, a URL.",
  },
  mcp: {
    flag: '--mcp',
    value: { shown: 'TRANSPORT' },
    meaning: 'How a command speaks MCP: stdio, or http at the URL in its environment.',
  },
  env: {
    flag: '--env',
    value: { shown: 'NAMES' },
    meaning: "Variables that the agent's program gets beside a few common ones: OPENAI_API_KEY,…",
  },
  seed: {
    flag: '--seed',
    value: { shown: 'NUMBER', kind: 'wholeNumber' },
    meaning: 'Only the world of this seed of the file; of hidden ones its number, from 1.',
  },
  secret: {
    flag: '--secret',
    value: { shown: 'FILE', kind: 'path' },
    meaning:
      'Hidden seeds of an earlier run, whose secret is in this file; - reads standard input.',
  },
  out: {
    flag: '--out',
    value: { shown: 'FOLDER', kind: 'path' },
    meaning: 'Where the files are; eval-NAME here when it is not given.',
  },
  html: {
    flag: '--html',
    value: { shown: 'FILE', kind: 'path' },
    meaning: 'Also write a page with the curves of both.',
  },
  workers: {
    flag: '--workers',
    value: { shown: 'COUNT', kind: 'wholeNumber' },
    meaning: 'Worlds that run beside each other; by default one a processor.',
  },
  with: {
    flag: '--with',
    value: { shown: 'FOLDER', kind: 'path' },
    meaning: 'The folder of the agent to compare with.',
  },
} as const satisfies Record<string, CommandFlag>
