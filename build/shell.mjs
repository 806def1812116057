/** Whoever started a task: while it runs, the task runs. Uses only what ships with Node.js or Bun. */
import { readFileSync } from 'node:fs'

const LOOK_MS = 1000
const OURS = /\bnpm\b|launch\.mjs/

/**
 * Calls back once the shell that started this process is gone, or anything between the two: npm, and the shell that npm
 * starts. Where there is no /proc only the parent is watched. Answers how to stop watching.
 */
export function watchShell(whenGone) {
  const watched = ancestors()
  const timer = setInterval(() => {
    const alive = process.ppid === watched[0] && watched.slice(1).every((pid) => factsOf(pid))
    if (alive) return
    clearInterval(timer)
    whenGone()
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** The parent, and above it everything up to the first process that is neither npm nor this launcher. */
function ancestors() {
  const pids = []
  for (let pid = process.ppid; pid > 1; ) {
    pids.push(pid)
    const facts = factsOf(pid)
    if (!facts || !OURS.test(facts.command)) break
    pid = facts.parent
  }
  return pids
}

/** The parent and command line of a process; null when it is gone, or the system does not tell. */
function factsOf(pid) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : { command, parent: Number(parent) }
  } catch {
    return null
  }
}
