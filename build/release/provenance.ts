import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../bundle.ts'
import { type Published, pretty } from './manifests.ts'

type Facts = {
  readonly subjects: readonly Published[]
  readonly commit: string
  /** The flags that the build was given. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What else goes into the bytes of a release, beside the commit. */
const INPUTS = ['package-lock.json', 'build/release.ts', 'build/executable.ts']

/**
 * How the files of a release were made: a statement of in-toto (v1) with the provenance of SLSA (v1), without times, so that
 * a second build states the same.
 */
export function provenance({ subjects, commit, parameters }: Facts): string {
  return pretty({
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:prepd:release:v1',
        externalParameters: parameters,
        internalParameters: { runtime: `bun ${Bun.version}`, revision: Bun.revision },
        resolvedDependencies: [
          { uri: 'urn:prepd:source', digest: { gitCommit: commit } },
          ...INPUTS.map((path) => ({ name: path, digest: { sha256: sumOf(path) } })),
        ],
      },
      runDetails: { builder: { id: 'urn:prepd:build/release.ts' } },
    },
  })
}

function sumOf(path: string): string {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex')
}
