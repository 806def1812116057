// Slow: worlds are opened and run, and agents are programs of their own.
import { expect, test } from 'bun:test'
import { openEvaluations } from './fixture.ts'

test('an agent is named by a command that is quoted as in a shell', async () => {
  using here = openEvaluations()
  const path = here.write("my agent's.mjs", 'console.error(JSON.stringify(process.argv.slice(2)))')
  const agent = `${process.execPath} "${path}" 'two words' "" c\\ d`
  await here.evaluate('run', '', 'out', '--agent', agent, '--seed', '7')
  expect(JSON.parse(here.errorsOf('out'))).toEqual(['two words', '', 'c d'])
  const { agent: shown } = here.runOf('out')
  await here.evaluate('run', '', 'again', '--agent', shown, '--seed', '7')
  expect(here.errorsOf('again')).toBe(here.errorsOf('out'))
  const unended = await here.evaluate('run', '', 'out', '--agent', `node "agent.mjs`)
  expect(unended).toEqual({ exitCode: 64, lines: ['--agent has a quote without its end'] })
})
