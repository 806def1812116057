// Slow: it starts processes.
import { expect, test } from 'bun:test'
import { settingsFolder } from '../settings-folder.ts'

const OWN_COMMAND = JSON.stringify(
  new URL('../../src/main/own-command.ts', import.meta.url).pathname,
)

test('a command that a process runs of its own program ends with that process, also when it is killed', async () => {
  using folder = settingsFolder()
  const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  using listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => opened.resolve(), data: () => undefined, close: () => closed.resolve() },
  })
  const command = folder.write(
    'command.ts',
    `import { endWithParent } from ${OWN_COMMAND}
     endWithParent()
     Bun.connect({ hostname: '127.0.0.1', port: ${listener.port}, socket: { data() {} } })`,
  )
  const runner = folder.write(
    'runner.ts',
    `import { runOwnCommand } from ${OWN_COMMAND}
     await runOwnCommand(['', ${JSON.stringify(command)}], [], new AbortController().signal)`,
  )
  const program = Bun.spawn([process.execPath, runner], { stdio: ['ignore', 'ignore', 'inherit'] })
  await opened.promise
  program.kill('SIGKILL')
  await closed.promise
  expect(await program.exited).toBe(137)
})
