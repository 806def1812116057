import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { RELEASE } from '../../src/contract/operator/release.ts'
import { ROOT } from '../bundle.ts'
import { run } from './stage.ts'

/**
 * Signs the sums of a release with an SSH key, and checks the signature against the public keys that users have. Answers what
 * was done, or that nothing is signed without a key. Throws where the key's public half is not among them: nobody could
 * verify the release.
 */
export function signSums(
  out: string,
  key: string | undefined,
  signers = join(ROOT, 'config/release-signers'),
): string {
  const { sums, signature, namespace } = RELEASE
  rmSync(join(out, signature), { force: true })
  if (key === undefined)
    return `NOT SIGNED: nobody can verify where ${sums} is from. To publish it, sign it: --signing-key FILE`
  run(['ssh-keygen', '-Y', 'sign', '-q', '-f', key, '-n', namespace, sums], { cwd: out })
  const verify = `ssh-keygen -Y verify -f "$1" -I prepd -n ${namespace} -s ${signature} < ${sums}`
  try {
    run(['sh', '-c', verify, 'sh', signers], { cwd: out })
  } catch (error) {
    rmSync(join(out, signature), { force: true })
    throw new Error(`${signers} does not have the public half of the signing key`, { cause: error })
  }
  return `${signature} signs ${sums}`
}
