/** Runs Prometheus's own checker over a text or a file. Throws where it is not installed. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const path = Bun.which('promtool')
  if (!path) throw new Error('promtool is missing: apt-get install --yes prometheus')
  const child = Bun.spawn([path, ...args], {
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return code === 0 && complaints === '' ? 'ok' : `${code}: ${out}${complaints}`
}
