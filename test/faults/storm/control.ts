import type { Control } from './judge.ts'

const PROBE_EVERY_MS = 100
/** A server that does nothing answers within this on a machine that does nothing else. */
const USUAL_MS = 5
const SERVER =
  'const s = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") }); console.log(s.port)'

/** Asks a server that does nothing, in a process of its own, again and again: how busy the machine is. */
export async function startControl(nowMs: () => number) {
  const child = Bun.spawn([process.execPath, '-e', SERVER], { stdout: 'pipe', stderr: 'ignore' })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const port = Number(new TextDecoder().decode(value))
  const controls: Control[] = []
  let isOver = false

  async function probe(): Promise<void> {
    while (!isOver) {
      const beganMs = nowMs()
      await Bun.sleep(PROBE_EVERY_MS)
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
      await response?.text()
      const tookMs = nowMs() - beganMs - PROBE_EVERY_MS
      controls.push({ atMs: nowMs(), lateMs: Math.max(0, tookMs - USUAL_MS) })
    }
  }

  const done = probe()
  return {
    controls,
    stop: async () => {
      isOver = true
      await done
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
