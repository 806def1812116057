import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { needProgram } from './programs.ts'

/** Writes NAME.crt and NAME.key: a certificate of this machine, which names NAME, for two days or as many as given. Answers their paths. */
export function writePair(
  folder: string,
  name: string,
  mode = 0o600,
  days = 2,
): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const { exitCode, stderr } = Bun.spawnSync([
    ...[needProgram('openssl'), 'req', '-x509', '-newkey', 'ec', '-nodes', '-days', `${days}`],
    ...['-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', `/CN=${name}`],
    ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-keyout', key, '-out', cert],
  ])
  if (exitCode !== 0) throw new Error(stderr.toString())
  chmodSync(key, mode)
  return { cert, key }
}

/** The name on the certificate that a listener shows. */
export async function nameShown(url: string): Promise<string> {
  const { host } = new URL(url)
  const child = Bun.spawn([needProgram('openssl'), 's_client', '-connect', host, '-showcerts'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const [, name = ''] = /^subject=CN ?= ?(\S+)$/m.exec(await child.stdout.text()) ?? []
  return name
}
