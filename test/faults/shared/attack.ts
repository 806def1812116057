/**
 * The attackers in a process of their own, so that their work delays no honest account. Each line of its input is where prepd is;
 * at the end of its input it writes a line for each attacker: how often it was answered with what.
 */
import { ATTACKS } from './attackers.ts'
import { type Served, unserved } from './honest.ts'

/** How often the attackers learn where prepd is. */
const SEND_MS = 100

if (import.meta.main) await attackUntilEnd()

async function attackUntilEnd(): Promise<void> {
  const served = unserved()
  const ending = new AbortController()
  const { signal } = ending
  const attacks = Object.entries(ATTACKS).map(async ([name, attack], at) => {
    const answers = new Map<string, number>()
    await attack({ served, signal, answers, address: `198.51.100.${at + 1}` })
    return `${name}: ${JSON.stringify(Object.fromEntries(answers))}`
  })
  for await (const line of console) if (line !== '') Object.assign(served, JSON.parse(line))
  ending.abort()
  await Bun.write(Bun.stdout, (await Promise.all(attacks)).join('\n'))
  process.exit()
}

/** Starts the attackers, who see what is served until the signal. */
export function startAttack(served: Served, signal: AbortSignal) {
  const command = ['nice', process.execPath, import.meta.path]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  async function publish(): Promise<void> {
    while (!signal.aborted) {
      child.stdin.write(`${JSON.stringify(served)}\n`)
      await child.stdin.flush()
      await Bun.sleep(SEND_MS)
    }
    await child.stdin.end()
  }
  const published = publish()
  return {
    /** Resolves when they have ended, after the signal: a line for each. */
    ended: async (): Promise<readonly string[]> => {
      await published
      return (await new Response(child.stdout).text()).trim().split('\n')
    },
  }
}
