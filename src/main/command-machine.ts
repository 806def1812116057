import { accessSync, constants, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { REQUEST_ID_HEADER } from '../contract/headers.ts'
import { isObject } from '../core/json.ts'
import { defaultOnFailure, reportUnexpected, systemErrorCode } from '../core/loop/guarded.ts'
import { type ListenAddress, localUrl } from '../core/settings/listen-address.ts'
import type { CommandMachine } from '../operator/command/command.ts'
import { freeBytes } from './process-readings.ts'
import { certificateEndMs, readTls } from './reload.ts'

const PROBE_MS = 3000

/** Access to facts of this machine, for operator commands. */
export function commandMachine(): CommandMachine {
  return {
    processors: availableParallelism,
    isWritable: (path) =>
      valueOrNull(() => accessSync(path, constants.W_OK | constants.X_OK)) !== null,
    freeBytes,
    openFilesMax: () => {
      const limits = valueOrNull(() => readFileSync('/proc/self/limits', 'utf8'))
      const soft = /^Max open files\s+(\d+)/m.exec(limits?.value ?? '')?.[1]
      return soft === undefined ? null : Number(soft)
    },
    listenTrouble,
    isPrepd,
    pairEndMs: async (settings) => {
      const pair = await readTls(settings)
      return pair?.endMs ?? Number.POSITIVE_INFINITY
    },
    certificateEndMs,
  }
}

function valueOrNull<Value>(look: () => Value): { readonly value: Value } | null {
  try {
    return { value: look() }
  } catch (error) {
    reportUnexpected('process', error, 'system')
    return null
  }
}

async function listenTrouble({ host, port }: ListenAddress): Promise<string | null> {
  try {
    await Bun.listen({ hostname: host, port, socket: { data: () => undefined } }).stop(true)
    return null
  } catch (error) {
    return systemErrorCode(error) || 'unknown'
  }
}

/** For each kind of listener of prepd: a request, and a check that recognises its answer. */
const LISTENER_SIGNATURES: readonly (readonly [
  path: string,
  isOurs: (response: Response, body: unknown) => boolean,
])[] = [
  [
    '/api/prep/config',
    ({ headers }) => /^[0-9a-f]{12}-/.test(headers.get(REQUEST_ID_HEADER) ?? ''),
  ],
  ['/readyz', (_, body) => isObject(body) && typeof body['ready'] === 'boolean'],
  ['/v1/public/system_info', (_, body) => isObject(body) && body['success'] === true],
]

async function isPrepd(at: ListenAddress): Promise<boolean> {
  const bases = [localUrl(at), localUrl(at).replace(/^http:/, 'https:')]
  const asked = bases.flatMap((base) =>
    LISTENER_SIGNATURES.map(async ([path, isOurs]) => {
      const signal = AbortSignal.timeout(PROBE_MS)
      // Accepts any certificate, since the request sends no data.
      const response = await fetch(base + path, { signal, tls: { rejectUnauthorized: false } })
      return isOurs(
        response,
        await response.json().catch(defaultOnFailure('process', null, SyntaxError, TypeError)),
      )
    }),
  )
  const answers = await Promise.allSettled(asked)
  return answers.some((each) => each.status === 'fulfilled' && each.value)
}
